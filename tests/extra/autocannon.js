export {default} from 'autocannon';
