export {default} from 'axe-core';
