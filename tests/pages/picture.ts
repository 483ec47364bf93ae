import {join} from 'node:path';
import {serve} from '../build/serve.ts';
import {PROJECT} from '../project.ts';
import {launch, open} from './browser.ts';

// Writes docs/page.png, the image in the README: the upper part of a product page of this repository's site.

using server = await serve(join(PROJECT, 'public'));
const browser = await launch();
const viewport = {width: 1200, height: 750};
const {page} = await open(browser, `${server.url}/products/softfail3`, {viewport, colorScheme: 'light'});
await page.screenshot({path: join(PROJECT, 'docs/page.png')});
await browser.close();
