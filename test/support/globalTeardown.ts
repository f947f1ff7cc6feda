// Jest does not map module names here, hence the specifier without `.js`.
import { stopAll } from './running';

export default stopAll;
