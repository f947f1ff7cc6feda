/**
 * Whose rows a statement may touch. Every repository function takes one, so that forgetting the
 * workspace is a type error; work that is nobody's in particular says why it may see everything.
 */
export type WorkspaceScope = { readonly workspaceId: string };
export type SystemScope = { readonly system: string };
export type Scope = WorkspaceScope | SystemScope;

/** Who is asking: resolved from the bearer token once per request. */
export interface Principal {
  readonly keyId: string;
  readonly userId: string;
  readonly organizationId: string;
  readonly workspaceId: string;
  /** As granted, wildcards included; `core/permissions` decides what they cover. */
  readonly scopes: readonly string[];
}
