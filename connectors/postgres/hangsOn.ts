import type pg from 'pg';

/**
 * Why a table cannot simply be replaced by another one of its name. Every object that depends on
 * it in a way that is not known to come along is a reason, so that nothing is lost that nobody
 * thought of.
 */
const dependentsSql = `
  select distinct case
           when d.classid = 'pg_rewrite'::regclass then 'views or rules'
           when d.classid = 'pg_trigger'::regclass then 'triggers'
           when d.classid = 'pg_policy'::regclass then 'policies'
           when d.classid = 'pg_constraint'::regclass then 'foreign keys to it, or other constraints'
           when d.classid = 'pg_class'::regclass then 'sequences or tables of its own'
           when d.classid = 'pg_statistic_ext'::regclass then 'extended statistics'
           when d.classid = 'pg_proc'::regclass then 'functions'
           else 'other objects' end as reason
    from pg_depend d
    join pg_class t on t.oid = $1::oid
    left join pg_type y on y.oid = t.reltype
   where d.deptype <> 'p'
     and ((d.refclassid = 'pg_class'::regclass and d.refobjid = t.oid)
       or (d.refclassid = 'pg_type'::regclass and d.refobjid in (t.reltype, y.typarray)))
     and not case d.classid
       when 'pg_class'::regclass
         then exists (select from pg_class o where o.oid = d.objid and o.relkind in ('i', 't'))
           or d.objid = t.oid
       when 'pg_constraint'::regclass
         then exists (select from pg_constraint k where k.oid = d.objid and k.conrelid = t.oid
                         and k.contype in ('p', 'u', 'c', 'n', 'f')
                         and (k.contype <> 'f' or k.confrelid <> t.oid))
       when 'pg_attrdef'::regclass
         then exists (select from pg_attrdef a where a.oid = d.objid and a.adrelid = t.oid)
       when 'pg_type'::regclass then d.objid in (t.reltype, y.typarray)
       when 'pg_trigger'::regclass
         then exists (select from pg_trigger g where g.oid = d.objid and g.tgisinternal)
       else false end`;

const propertiesSql = `
  select array_remove(array[
    case when c.relkind <> 'r' then 'partitions' end,
    case when exists (select from pg_inherits where c.oid in (inhrelid, inhparent))
         then 'inheritance' end,
    case when c.relrowsecurity or c.relforcerowsecurity then 'row level security' end,
    case when c.reloftype <> 0 then 'a type that it follows' end,
    case when c.relreplident <> 'd' then 'its replica identity' end,
    case when exists (select from pg_attribute where attrelid = c.oid and attacl is not null)
         then 'grants on columns' end,
    case when exists (select from pg_publication_tables p
                       where p.schemaname = n.nspname and p.tablename = c.relname)
         then 'publications' end,
    case when exists (select from pg_index
                       where indrelid = c.oid and (not indisvalid or not indisready))
         then 'an index that is not valid' end,
    case when exists (select from pg_seclabel
                       where objoid = c.oid and classoid = 'pg_class'::regclass)
         then 'security labels' end,
    case when exists (select from pg_depend
                       where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')
         then 'an extension' end,
    case when not pg_has_role(c.relowner, 'member')
           or not has_schema_privilege(c.relowner, n.oid, 'create')
         then 'an owner for whom it cannot be created again' end
  ], null) as reasons
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = $1::oid`;

/** What keeps the shadow from being what the target is by now. */
const shapeSql = `
  select (select json_agg(json_build_array(attname, format_type(atttypid, atttypmod), attnotnull,
                   attcollation, attgenerated, attidentity, pg_get_expr(adbin, adrelid))
                   order by attnum)::text
            from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
           where attrelid = $1::oid and attnum > 0 and not attisdropped)
      || (select coalesce(json_agg(json_build_array(contype, conname, pg_get_constraintdef(oid))
                   order by contype, conname), '[]')::text
            from pg_constraint where conrelid = $1::oid and contype in ('c', 'f')) as shape`;

const shapeOf = async (client: pg.Client, oid: number): Promise<string | null> => {
  const { rows } = await client.query<{ shape: string | null }>(shapeSql, [oid]);
  return rows[0]?.shape ?? null;
};

export const whyNotSwap = async (
  client: pg.Client,
  target: number,
  shadow: number,
): Promise<string[]> => {
  const dependents = await client.query<{ reason: string }>(dependentsSql, [target]);
  const properties = await client.query<{ reasons: string[] }>(propertiesSql, [target]);
  const isAlike = (await shapeOf(client, target)) === (await shapeOf(client, shadow));
  return [
    ...dependents.rows.map(({ reason }) => reason),
    ...(properties.rows[0]?.reasons ?? []),
    ...(isAlike ? [] : ['columns or constraints that it had not when the run began']),
  ];
};
