import {Command, Option} from '@commander-js/extra-typings';
import {errorStack} from '../shared/error-message.ts';
import {withShownAddresses} from '../shared/shown-address.ts';
import {siteRoot} from '../shared/command-line.ts';
import {ledgerOption} from './sales/options.ts';
import {
  checked,
  port,
  rootOption,
  rpcUrlOption,
  signingKeyOption,
  type Run,
  type Terminal,
} from './terminal/command.ts';
import {gateSettings} from './terminal/gate-settings.ts';
import {refuseIgnored} from './terminal/refuse-ignored.ts';
import {facilitatorUrl} from '../shared/service-url.ts';
import {stopSignal} from './terminal/stop-signal.ts';

const declaration = () =>
  new Command('start')
    .summary('run the gate: serve the site and require payment on paid paths')
    .description('Runs the gate on Node.js: serves public/ and requires payment on the paid paths.')
    .addOption(rootOption())
    .addOption(new Option('--port <n>', 'the port to listen on').env('PORT').argParser(checked(port)).default(8402))
    .addOption(
      new Option('--host <address>', 'the address to listen on')
        .env('HOST')
        .argParser(text => text || LOOPBACK)
        .default(LOOPBACK),
    )
    .addOption(
      new Option('--admin-port <n>', 'the port for /healthz and /metrics, which must not be public (default: none)')
        .env('FROZEN_ADMIN_PORT')
        .argParser(checked(port)),
    )
    .addOption(
      new Option('--admin-host <address>', 'the address for /healthz and /metrics')
        .env('FROZEN_ADMIN_HOST')
        .argParser(text => text || LOOPBACK)
        .default(LOOPBACK),
    )
    .addOption(
      new Option(
        '--facilitator-url <url>',
        'the facilitator that settles payments, in place of facilitator_url in data/site.json',
      )
        .env('FROZEN_FACILITATOR_URL')
        .argParser(checked(facilitatorUrl)),
    )
    .addOption(
      rpcUrlOption(
        'a node of the chain, which shows the outcome of a settlement if the facilitator does not answer; needed to settle without a facilitator',
      ),
    )
    .addOption(
      new Option(
        '--settler-key-file <file>',
        'settle payments without a facilitator, with the private key in this file; its account needs only gas',
      ).env('FROZEN_SETTLER_KEY_FILE'),
    )
    .addOption(signingKeyOption())
    .addOption(ledgerOption())
    .option('--no-log', 'do not write a line of JSON for each request to standard output')
    .addHelpText(
      'after',
      `
Environment variables without an option: FROZEN_CLIENT_ADDRESS_HEADER names the header in which a
proxy sends the address of the client. FROZEN_MAX_VERIFICATIONS, FROZEN_MAX_WAITING and others set limits
in total, per client and per payer: see frozen help environment.

Exit codes: 0 stopped, 1 the site cannot be served, 2 wrong usage.

Example: frozen start --host 0.0.0.0 --port 8080 --admin-port 9402
`,
    );

const LOOPBACK = '127.0.0.1';
const UNSIGNED = 'The site has a signing key, but the gate does not: offers and receipts are not signed';

export const start = (run: Run) =>
  declaration().action(({root, ...options}, command) =>
    run({}, terminal => {
      refuseIgnored(command, [options.adminPort === undefined, ['--admin-host'], {requires: '--admin-port'}]);
      return serve(siteRoot(root), options, terminal);
    }),
  );

async function serve(
  root: string,
  {
    port,
    host,
    ledgerUrl,
    signingKeyFile,
    adminPort,
    adminHost,
    log,
    ...options
  }: ReturnType<ReturnType<typeof declaration>['opts']>,
  terminal: Terminal,
): Promise<number> {
  // Without a listener, the signal would end the process. Before the gate listens, there is no new build to load.
  process.on('SIGHUP', () => undefined);
  const [{openSite}, {openLedger}, {openSigningKey}, {serveSite}, {openSetup}, {requirePreflight}] = await Promise.all([
    import('../paywall/site/open-site.ts'),
    import('../paywall/ledger/open-ledger.ts'),
    import('./sign/open-signing-key.ts'),
    import('../paywall/hosts/node.ts'),
    import('../paywall/preflight/setup.ts'),
    import('../paywall/preflight/preflight.ts'),
  ]);
  const settings = await gateSettings(process.env, options);
  const {facilitatorUrl, rpcUrl, settler, limits, clientAddressHeader} = settings;
  const site = await openSite(root);
  if (site.unsigned !== undefined) terminal.err.write(`${site.unsigned}\n`);
  const signingKey = await openSigningKey({signingKeyFile}, process.env);
  if (site.rules.signing && !signingKey) terminal.err.write(`${UNSIGNED}\n`);
  const {credentials, setup} = await openSetup(site.rules, settings);
  for (const {state, kind, subject, message} of await requirePreflight(setup))
    if (state === 'warning') terminal.err.write(`${kind}: ${subject} ${message}\n`);
  const ledger = await openLedger(root, ledgerUrl || undefined);
  const admin = adminPort !== undefined ? new (await import('../paywall/hosts/admin.ts')).Admin(ledger) : undefined;
  // Exit code 1 makes the service manager restart the gate.
  const stopped = stopSignal(terminal, 1);
  const running = await serveSite(site, {
    ...{port, host, credentials, ledger, signingKey, facilitatorUrl, rpcUrl, settler, limits, clientAddressHeader},
    observer: admin?.figures.observer,
    log:
      !log && !admin
        ? undefined
        : line => {
            if (log) terminal.out.write(`${JSON.stringify(line)}\n`);
            admin?.figures.answered(line);
          },
    onError: error => terminal.err.write(`${withShownAddresses(errorStack(error))}\n`),
    onTrouble: trouble => terminal.err.write(`${trouble}\n`),
    onBuild: line => terminal.err.write(`${line}\n`),
  });
  process.on('SIGHUP', () => void running.takeOver());
  try {
    const address = await admin?.listen({host: adminHost, port: adminPort ?? 0}, {...running, rpcUrl: settings.rpcUrl});
    if (address !== undefined) terminal.err.write(`Health and metrics on ${address}\n`);
    if (settler) terminal.err.write(`Settles payments without a facilitator. The gas is paid by ${settler.address}\n`);
    terminal.err.write(`Listening on ${running.url}\n`);
    return await stopped;
  } finally {
    await admin?.stop();
    await running.stop();
    await ledger.close();
  }
}
