import { parseCidrs } from '../net/addressPolicy.js';
import type { Cidr } from '../net/addressPolicy.js';
import type { Config } from './config.js';
import { StartError } from './main.js';

export const allowedCidrs = ({ egressAllowCidrs }: Config): Cidr[] => {
  try {
    return parseCidrs(egressAllowCidrs);
  } catch (error) {
    throw new StartError(`FLX_EGRESS_ALLOW_CIDRS: ${(error as Error).message}`);
  }
};
