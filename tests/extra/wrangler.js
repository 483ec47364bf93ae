export {unstable_startWorker} from 'wrangler';
