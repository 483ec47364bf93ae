import {RULES} from '../../../shared/paths.ts';

/** Path of the CloudFormation template, from the root. */
export const TEMPLATE = `${RULES}/aws.template.json`;
