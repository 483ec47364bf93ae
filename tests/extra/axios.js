export {default} from 'axios';
export {wrapAxiosWithPaymentFromConfig} from '@x402/axios';
