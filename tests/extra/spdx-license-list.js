export {default} from 'spdx-license-list';
