/** Bootstraps every test database. Well-formed, and worth nothing anywhere else. */
export const TEST_API_KEY = 'flx_FluxlineTestKeyFluxlineTestKey1bhKb9';

/** 32 bytes, base64. */
export const TEST_MASTER_KEY = Buffer.alloc(32, 'fluxline tests').toString('base64');

export const TEMPLATE_DATABASE = 'fluxline_template';

/** Owns the test databases; not a superuser, as in production. */
export const TEST_ROLE = 'fluxline';
export const TEST_ROLE_PASSWORD = 'fluxline-tests';
