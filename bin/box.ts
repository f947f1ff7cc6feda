import { makeBox } from '../secrets/box.js';
import type { Box } from '../secrets/box.js';
import { masterKeyFromBase64 } from '../secrets/masterKey.js';
import type { Config } from './config.js';
import { StartError } from './main.js';

export const openBox = ({ masterKey }: Config): Box => {
  try {
    return makeBox(masterKeyFromBase64(masterKey));
  } catch (error) {
    throw new StartError(`FLX_MASTER_KEY: ${(error as Error).message}`);
  }
};
