import type { Knex } from 'knex';

export interface FirstOwner {
  organization: string;
  slug: string;
  email: string;
  passwordHash: string | null;
  limits: { runs: number; pipelines: number; connections: number };
  key: { prefix: string; hash: string; scopes: readonly string[] };
}

export const makeInstance = (db: Knex) => ({
  /** The text that only the right master key opens; undefined before the bootstrap. */
  keyCheck: async (): Promise<string | undefined> => {
    const { rows } = await db.raw<{ rows: { key_check: string }[] }>(
      'select key_check from instance',
    );
    return rows[0]?.key_check;
  },

  /** False when another start was first. */
  claim: async (keyCheck: string): Promise<boolean> => {
    const { rows } = await db.raw<{ rows: unknown[] }>(
      'insert into instance (key_check) values (?) on conflict do nothing returning 1',
      [keyCheck],
    );
    return rows.length > 0;
  },

  createOwner: async (owner: FirstOwner): Promise<void> => {
    await db.raw(
      `with org as (
         insert into organizations (name, slug) values (:organization, :slug) returning id
       ), space as (
         insert into workspaces
           (organization_id, name, max_concurrent_runs, max_pipelines, max_connections)
         select id, 'Default', :runs, :pipelines, :connections from org returning id, organization_id
       ), person as (
         insert into users (organization_id, email, display_name, password_hash)
         select id, :email, split_part(:email, '@', 1), :passwordHash from org returning id
       ), member as (
         insert into memberships (organization_id, workspace_id, user_id, role)
         select space.organization_id, space.id, person.id, 'owner' from space, person
         returning workspace_id, user_id
       )
       insert into api_keys (workspace_id, user_id, name, prefix, hash, scopes)
       select workspace_id, user_id, 'Bootstrap', :prefix, :hash, :scopes from member`,
      {
        organization: owner.organization,
        slug: owner.slug,
        email: owner.email,
        passwordHash: owner.passwordHash,
        ...owner.limits,
        prefix: owner.key.prefix,
        hash: owner.key.hash,
        scopes: [...owner.key.scopes],
      },
    );
  },
});
