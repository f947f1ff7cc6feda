import { tables } from '../../api/routes/index.js';
import inventory from '../fixtures/inventory.json';
import pending from '../fixtures/inventory-pending.json';
import { compareInventory } from './support/inventory.js';

const routes = tables.flatMap((table) => table.routes);

test('the tables are the specification, but for what is listed as pending', () => {
  expect(inventory).toHaveLength(231);
  expect(compareInventory(routes, inventory, pending)).toEqual([]);
});

test('every way of differing is found', () => {
  const project = { method: 'GET', path: '/api/projects/{projectId}', envelope: 'A', status: 200 };
  const get = routes.filter(({ name }) => name === 'projects.get');
  const found = (change: object, list: string[] = []) =>
    compareInventory(get, [{ ...project, public: false, ...change }], list);
  expect(found({})).toEqual([]);
  expect(found({ status: 201 })).toEqual(['GET /api/projects/{}: status is 200, not 201']);
  expect(found({ envelope: 'C' })).toHaveLength(1);
  expect(found({ public: true })).toHaveLength(1);
  expect(found({}, ['GET /api/projects/{id}'])[0]).toMatch(/take it off/);
  expect(found({}, ['GET /api/nothing'])[0]).toMatch(/not specified/);
  expect(found({ method: 'PUT' })).toEqual([
    'PUT /api/projects/{}: it is missing',
    'GET /api/projects/{}: neither specified nor an extension',
  ]);
});
