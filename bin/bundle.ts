import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';

/** Beyond this something heavy has slipped into the workflows' imports. */
const maxBytes = 800_000;

const run = async (): Promise<void> => {
  const root = join(__dirname, '..');
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(root, 'workflows', 'index.js'),
    logger: {
      log() {},
      trace() {},
      debug() {},
      info() {},
      warn: console.warn,
      error: console.error,
    },
  });
  // The map is most of the text and only serves stack traces.
  const plain = code.replace(/\n\/\/# sourceMappingURL=.*$/s, '\n');
  if (plain.length > maxBytes) {
    throw new Error(`The workflow bundle has ${plain.length} bytes, more than ${maxBytes}.`);
  }
  await writeFile(join(root, 'workflow-bundle.js'), code);
};

run().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
