export {json} from './json.ts';
export {faultMarkdown, markdown} from './markdown.ts';
export {terminal} from './terminal.ts';
