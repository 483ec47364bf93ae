import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {PROJECT} from '../project.ts';
import {launch, open} from './browser.ts';

// Takes the picture of the README anew: docs/page.png, the upper part of the page that ships.

const browser = await launch();
const {page} = await open(browser, pathToFileURL(join(PROJECT, 'public/index.html')).href, {
  viewport: {width: 1200, height: 750},
  colorScheme: 'light',
});
await page.screenshot({path: join(PROJECT, 'docs/page.png')});
await browser.close();
