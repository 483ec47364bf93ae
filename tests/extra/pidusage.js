export {default} from 'pidusage';
