import {isatty} from 'node:tty';
import pc from 'picocolors';

/** Colours for a terminal only, unless `NO_COLOR` is set: left to itself, picocolors would colour pipes too where `CI` is set. */
export default pc.createColors(isatty(1) && !process.env['NO_COLOR']);
