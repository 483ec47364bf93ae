import {Option} from '@commander-js/extra-typings';

export const signingKeyOption = () =>
  new Option('--signing-key-file <file>', "the file with the site's signing key; only you may have access to it").env(
    'FROZEN_SIGNING_KEY_FILE',
  );
