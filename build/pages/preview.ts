import {describe} from './html/words.ts';
import type {Page} from './page.ts';

/** What a link to the site is shown with. */
const preview: Page = {
  path: '/preview.png',
  type: 'image/png',
  async compose(site) {
    const {drawn} = await import('./preview/draw.ts');
    const {title, base_url} = site;
    return drawn({above: '', title, text: describe(site), below: new URL(base_url).host});
  },
};

export default preview;
