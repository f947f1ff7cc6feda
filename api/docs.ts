import { createReadStream } from 'node:fs';
import { dirname, join } from 'node:path';
import type Router from '@koa/router';
import type { ApiContext, ApiState } from './exchangeState.js';

/** Scripts, styles and calls of this origin only; Swagger UI sets styles on its elements. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Fluxline API</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

/** No validator: the document is ours, and nothing is to leave for a stranger's server. */
const start = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
});
`;

const assets: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

/** The documentation page, served from the package: it works without a network. */
export const mountDocs = (router: Router<ApiState>): void => {
  const folder = dirname(require.resolve('swagger-ui-dist/package.json'));
  const send = (koa: ApiContext, type: string, body: string | NodeJS.ReadableStream): void => {
    koa.set('Content-Security-Policy', contentSecurityPolicy);
    koa.set('Content-Type', type);
    koa.body = body;
  };
  router.get('/docs', (koa) => send(koa, 'text/html; charset=utf-8', page));
  router.get('/docs/start.js', (koa) => send(koa, 'text/javascript; charset=utf-8', start));
  for (const [file, type] of Object.entries(assets)) {
    router.get(`/docs/${file}`, (koa) => {
      koa.set('Cache-Control', 'public, max-age=3600');
      send(koa, type, createReadStream(join(folder, file)));
    });
  }
};
