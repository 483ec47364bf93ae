import textPlugin from '@textlint/textlint-plugin-text';
// @ts-expect-error: it has no types
import rule from 'textlint-rule-terminology';
import markdownPlugin from '@textlint/textlint-plugin-markdown';

export {TextlintKernel, TextlintKernelDescriptor} from '@textlint/kernel';

// CommonJS modules with a member `default`.
export const {default: markdown} = markdownPlugin;
export const {default: text} = textPlugin;
/** @type {import('@textlint/kernel').TextlintRuleModule} */
export const terminology = rule;
