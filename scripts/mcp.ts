import {resolve} from 'node:path';
import {setImmediate} from 'node:timers/promises';
import {inspect} from 'node:util';
import {Option} from '@commander-js/extra-typings';
import {InputError, wrongUsage} from '../shared/fault.ts';
import {isLoopback} from '../shared/loopback.ts';
import {priceOf} from '../shared/price.ts';
import {withShownAddresses} from '../shared/shown-address.ts';
import {amount, buyerCommand} from './terminal/buyer-options.ts';
import {checked, port, type Run} from './terminal/command.ts';
import {refuseIgnored} from './terminal/refuse-ignored.ts';
import {stopSignal} from './terminal/stop-signal.ts';

const FOR_A_WALLET = ['--max', '--budget', '--rpc-url', '--ask-above'];

const LOOPBACK = '127.0.0.1';

const declaration = () =>
  buyerCommand('mcp')
    .summary('give an agent tools to buy within a budget (MCP)')
    .description(
      'Gives an agent the tools of a buyer over MCP: list products, read samples, schemas and histories, buy within the budget, verify, and read documents that were bought. It uses standard input and output, or HTTP with --port.',
    )
    .argument('<site>', 'the origin of the site to buy from, such as https://snapshots.example')
    .addOption(
      new Option(
        '--ask-above <dollars>',
        'ask the user before buying a document that costs more than this; 0 asks for every document',
      )
        .argParser(checked(text => (/^\$?0(\.0+)?$/.test(text) ? 0 : priceOf(amount(text)).micros)))
        .default(100_000, '$0.10'),
    )
    .option('--port <n>', 'serve HTTP on this port, at /mcp; 0 chooses a free port', checked(port))
    .option('--host <address>', 'the address for HTTP; a public one needs --token-file', LOOPBACK)
    .option(
      '--token-file <file>',
      'the file with the token that clients send as Bearer; only you may have access to it',
    )
    .addHelpText(
      'after',
      `
Without a wallet (--key-file, --keystore or FROZEN_BUYER_KEY, as for frozen buy), the tools only list and
read, and cannot buy.

Exit codes: 0 ended, 1 cannot start, 2 wrong usage.

Example: frozen mcp https://snapshots.example --budget 1.00 --key-file wallet.key
`,
    );

/** `frozen mcp`. Exit code: 0 ended, 1 it cannot start. */
export const mcp = (run: Run) =>
  declaration().action(
    (site, {folder, max, budget, askAbove, rpcUrl, network, only, port, host, tokenFile, ...wallet}, command) =>
      run({}, async terminal => {
        refuseIgnored(
          command,
          [port === undefined, ['--host', '--token-file'], {requires: '--port'}],
          [!wallet.keystore, ['--passphrase-file'], {requires: '--keystore'}],
        );
        const [{targetOf}, {openWallet}, {Shop}, {readToken, serveHttp, serveStdio}] = await Promise.all([
          import('../buyer/buy/target.ts'),
          import('./wallet/open-wallet.ts'),
          import('../buyer/mcp/shop.ts'),
          import('./mcp/serve.ts'),
        ]);
        const {origin, name} = targetOf(site);
        if (name !== undefined)
          throw wrongUsage({code: 'FZ601', url: site, rule: 'is the address of a document', fix: 'Name its site.'});
        const token = tokenFile === undefined ? undefined : await readToken(tokenFile);
        if (token === undefined && !isLoopback(host.includes(':') ? `[${host}]` : host))
          throw wrongUsage({
            code: 'FZ903',
            field: '--host',
            value: host,
            rule: 'can be reached from elsewhere, so it needs a token',
            fix: 'Add `--token-file`.',
          });
        const hasWallet = Boolean(wallet.keyFile ?? wallet.keystore ?? process.env['FROZEN_BUYER_KEY']);
        refuseIgnored(command, [!hasWallet, FOR_A_WALLET, 'requires --key-file, --keystore or FROZEN_BUYER_KEY']);
        const account = hasWallet ? await openWallet(wallet, process.env) : undefined;
        if (!account) terminal.err.write('No wallet: this server lists and shows, and buys nothing.\n');
        const stopping = new AbortController();
        const limits = {folder: resolve(folder), max, budget, rpcUrl: rpcUrl || undefined, network, only};
        const onError = (error: unknown) => terminal.err.write(`${withShownAddresses(inspect(error))}\n`);
        const shop = new Shop({origin, account, askAbove, onError, stopping: stopping.signal, ...limits});
        const stopped = stopSignal(terminal);
        const serving =
          port === undefined ? await serveStdio(shop) : await serveHttp(shop, {host, port, token}, terminal);
        const code = await Promise.race([stopped, serving.ended.then(() => 0)]);
        stopping.abort(new InputError({code: 'FZ904', subject: 'The server', rule: 'is ending: nothing was paid'}));
        await shop.settled();
        // The SDK writes an answer in a later turn of the event loop.
        await setImmediate();
        await serving.close();
        return code;
      }),
  );
