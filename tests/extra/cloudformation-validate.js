export {RegoEngine, TemplateFile} from '@aws/cloudformation-validate';
