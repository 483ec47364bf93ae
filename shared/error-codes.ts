/** What `frozen help` and docs/errors.md say about an error code. */
export interface ErrorEntry {
  /** The error in a few words; the heading in the docs. */
  readonly title: string;
  /** Why it happens: whole sentences. */
  readonly cause: string;
  /** What to do: whole sentences. */
  readonly fix: string;
}

/**
 * Every error code. The hundreds are subjects: 1 lists and freezes, 2 the files of a site, 3 queries and figures, 4 output, git and hosts,
 * 5 gate, ledger and chain, 6 buying and verifying, 9 the command line. A code is never used for another error.
 */
export const ERRORS = {
  FZ101: {
    title: 'A value does not have the type of its column',
    cause: 'The schema of the list declares a type for the column, and a value of the list is not of that type.',
    fix: 'Correct the value in your list and freeze it again, or change the type with `frozen freeze --new-schema`.',
  },
  FZ102: {
    title: 'A value breaks a constraint of its column',
    cause:
      'The schema has a constraint for the values of the column: required, unique, enum, minimum, pattern or another one.',
    fix: 'Correct the value in your list and freeze it again, or change the constraint in the schema.',
  },
  FZ103: {
    title: 'Two rows have the same key',
    cause: 'The primary key of a list identifies a row, so each key occurs once.',
    fix: 'Remove one of the rows, or choose other columns as the key.',
  },
  FZ104: {
    title: 'The text of a file cannot be read',
    cause:
      'The file is not valid UTF-8, its compression is damaged, or it has characters that its format does not allow.',
    fix: 'Export or download the file again, as UTF-8.',
  },
  FZ105: {
    title: 'A CSV file has a broken record',
    cause: 'A record has too many or too few values, or a quotation mark is not closed.',
    fix: 'Correct the line that the message names. Values with commas, quotation marks or line ends must be in quotation marks.',
  },
  FZ106: {
    title: 'The header of a list is not clear',
    cause:
      'The first line of a CSV file contains the names of the columns. A name is missing or occurs twice, or the line looks like data.',
    fix: 'Write a header line with a different name for each column, or pass the names with `--columns`.',
  },
  FZ107: {
    title: 'A JSON file does not contain a list of rows',
    cause: 'A list is an array of objects, one object per line (NDJSON), or an object with such an array.',
    fix: 'Change the file to one of these forms. Use `--property` if the array is inside an object.',
  },
  FZ108: {
    title: 'A Parquet file cannot be used',
    cause:
      'The file is not Parquet, the files of the list have different columns, or a column has an unsupported type.',
    fix: 'Write the file again. Write columns of unsupported types as text, or leave them out.',
  },
  FZ109: {
    title: 'A file or a value is too large',
    cause: 'Builds have limited memory, and hosts accept only files of a limited size.',
    fix: 'Split the file, or remove data that you do not need.',
  },
  FZ110: {
    title: 'A frozen file was changed',
    cause: 'The file does not match the digest in its datapackage.json. A freeze is never edited.',
    fix: 'Restore the file from git, or freeze the changed list again under a new date.',
  },
  FZ111: {
    title: 'A freeze is missing or not complete',
    cause:
      'A source does not have a freeze, or the files in the folder of a freeze are not the files that `frozen freeze` writes.',
    fix: 'Run `frozen freeze`, or restore the folder from git.',
  },
  FZ112: {
    title: 'The history of a source is broken',
    cause: 'Each freeze contains the digest of the freeze before it, and one of these digests does not match.',
    fix: 'Restore published freezes from git. If a merge added two freezes, remove the unpublished one, and freeze its list again.',
  },
  FZ113: {
    title: 'A timestamp or a proof is not valid',
    cause: 'The file is not an answer of a timestamp authority, or belongs to another file or another time.',
    fix: 'Restore the file from git, or remove it. `frozen witness` requests a new proof only for the last freeze of each source.',
  },
  FZ114: {
    title: 'A schema is not valid',
    cause: 'The Table Schema of a list has a field, a key or a constraint that cannot be used.',
    fix: 'Correct the schema. The message names the member.',
  },
  FZ115: {
    title: 'A list does not match what was published',
    cause: 'A new freeze must have the schema and the classes of the freezes before it.',
    fix: 'Correct the list, or use the option in the message to change the schema.',
  },
  FZ117: {
    title: 'A list cannot be downloaded',
    cause:
      'The server of the list cannot be reached, refuses the request, or redirects to an address that is not allowed.',
    fix: 'Check the address in a browser, or download the file yourself and freeze it from disk.',
  },
  FZ118: {
    title: 'The type of a column is not clear',
    cause: 'Most values of the column have one type and some have another, so no type can be inferred.',
    fix: 'Correct the values, list those that mean a missing value with `--missing`, or leave the column out.',
  },
  FZ119: {
    title: 'A freeze cannot be replaced',
    cause: 'The freeze is committed, its folder contains other files, or a later freeze refers to it.',
    fix: 'Freeze the list under a new date.',
  },
  FZ120: {
    title: 'The key of a list is not clear',
    cause:
      'The columns that identify a row cannot be inferred, are not unique, or differ from those of the last freeze.',
    fix: 'Name the columns with `--primary-key`, or use `--no-primary-key` if the rows do not have a key.',
  },
  FZ121: {
    title: 'The file of a list cannot be used',
    cause:
      'The extension of the file name must match the format of the content, and all files of a freeze must have the same format.',
    fix: 'Save the list as CSV, NDJSON, JSON or Parquet, in a file with the extension of that format.',
  },
  FZ122: {
    title: 'The delimiter of a CSV file is not clear',
    cause: 'The header can be split at more than one character.',
    fix: 'Set the character with `--delimiter`.',
  },
  FZ123: {
    title: 'A list lost many rows',
    cause: 'The list has fewer than half of the rows of the last freeze, which often means that an export was cut off.',
    fix: 'Check the export. Use `--allow-shrink` if the list is really shorter.',
  },
  FZ124: {
    title: 'A timestamp authority cannot be used',
    cause:
      'The authority does not answer, refuses the request, or its answer is not a valid timestamp for this request.',
    fix: 'Try again later, or use another authority with `--tsa`.',
  },
  FZ125: {
    title: 'The transaction of a proof failed',
    cause: 'The node refused the transaction, the chain reverted it, or another transaction replaced it.',
    fix: 'Follow the message. The transaction is saved, so that the command does not send a second one by accident.',
  },
  FZ126: {
    title: 'A list is empty',
    cause: 'The file does not contain any rows, which often means that an export failed.',
    fix: 'Check the export. With `--allow-shrink` a later list may be empty: a CSV file with only a header, or `[]` in a JSON file.',
  },
  FZ201: {
    title: 'A file is missing',
    cause: 'A file or folder that the site needs does not exist.',
    fix: 'Create the file, correct the name that refers to it, or restore it from git.',
  },
  FZ202: {
    title: 'A file is not valid JSON',
    cause: 'The text breaks the syntax of JSON at the line that the message names.',
    fix: 'Correct the syntax. JSON does not allow comments or trailing commas, and requires double quotation marks.',
  },
  FZ203: {
    title: 'A member of a JSON file is wrong',
    cause: 'The member is missing, unknown, or has a value that the format does not allow.',
    fix: 'Correct it. See publishing.md (site.json), lists.md (datapackage.json) or products.md in node_modules/frozen-snapshots/docs/.',
  },
  FZ204: {
    title: 'A name refers to something that does not exist',
    cause: 'A product or an event names a column, a class, a product or a source that the site does not have.',
    fix: 'Correct the name, or add the column, class, product or source with this name.',
  },
  FZ205: {
    title: 'A name cannot be used',
    cause:
      'Two names are the same on some file systems, or a name is reserved, has forbidden characters or is too long.',
    fix: 'Choose another name.',
  },
  FZ206: {
    title: 'Members contradict each other',
    cause: 'Each member is valid, but they cannot be combined.',
    fix: 'Remove or change one of them.',
  },
  FZ207: {
    title: 'A price or a payee cannot be used',
    cause:
      'The price has too many digits, or two prices that must be equal differ, or the payee is not an address of its network.',
    fix: 'Correct the price or the address.',
  },
  FZ208: {
    title: 'A signing key or signature does not match',
    cause: 'The key, its dates or a signature does not match what the site declares.',
    fix: 'Use the key that the site declares, or declare the new one with `frozen sign next-key`.',
  },
  FZ209: {
    title: 'A text contains an invisible character',
    cause: 'Invisible characters can hide or reorder text for readers and terminals.',
    fix: 'Remove the character, or write a space instead.',
  },
  FZ210: {
    title: 'A path leads out of its folder',
    cause: 'Links, devices and other special files could expose or overwrite files outside the site.',
    fix: 'Replace the link or special file with a normal file or folder.',
  },
  FZ211: {
    title: 'A proof of ownership does not match',
    cause: 'The proof is for another address of the site, or is not signed by the wallet that receives payments.',
    fix: 'Run `frozen sign ownership` again, or remove the proof from data/site.json.',
  },
  FZ212: {
    title: 'Rows cannot be divided into parts',
    cause:
      'The member "parts" of a product would result in too many parts, too many rows, or names that cannot be used.',
    fix: 'Divide by another column or by a number of rows, or remove "parts".',
  },
  FZ213: {
    title: 'A column cannot be used in this product',
    cause: 'The product cannot use a column with this type, these values or these constraints.',
    fix: 'Name another column in the product, or edit the schema in `datapackage.json` before you first publish the list.',
  },
  FZ214: {
    title: 'A private key cannot be saved here',
    cause: 'The file exists, or is in a folder that could be published.',
    fix: 'Choose another file, outside of public/ and data/.',
  },
  FZ301: {
    title: 'A query is not accepted',
    cause: 'The SQL is not valid, or uses a statement, function or table that queries may not use.',
    fix: 'Change the query. node_modules/frozen-snapshots/docs/products-sql.md lists what is allowed.',
  },
  FZ302: {
    title: 'A query returns the wrong shape',
    cause: 'The result has the wrong number of rows, a wrong column name, or a value that documents cannot contain.',
    fix: 'Change the SELECT list or the conditions of the query.',
  },
  FZ303: {
    title: 'The result of a query is not reproducible',
    cause: 'The result depends on the order of rows, on the time or on chance, so two builds would differ.',
    fix: 'Add an ORDER BY in which all rows differ, or remove the function that the message names.',
  },
  FZ304: {
    title: 'A query needs too much time or memory',
    cause: 'The limits protect the machine that builds.',
    fix: 'Simplify the query, or build on a larger machine.',
  },
  FZ306: {
    title: 'A document breaks the specification',
    cause: 'The computed document contains something that docs/specification.md does not allow.',
    fix: 'Correct the product, or the code of its kind.',
  },
  FZ401: {
    title: 'A file cannot be read or written',
    cause: 'The operating system refused the access. The message contains the reason.',
    fix: 'Check the permissions, the free space and the path.',
  },
  FZ402: {
    title: 'Another process uses the same files',
    cause: 'A build, a server or a purchase uses the folder, or a file changed while it was read.',
    fix: 'Wait until the other process has ended, or stop it, and try again.',
  },
  FZ403: {
    title: 'A host cannot serve this site',
    cause: 'The site exceeds a limit of the host for rules, prices, names or sizes.',
    fix: 'Change the product, or remove the host from "hosts" in data/site.json.',
  },
  FZ404: {
    title: 'The output does not match the data',
    cause: 'A file in public/ or paywall/rules/ differs from what a build of data/ writes.',
    fix: 'Run `frozen build` and commit the result.',
  },
  FZ405: {
    title: 'A program is missing or failed',
    cause: 'The command needs another program, such as git or wrangler.',
    fix: 'Install the program, or solve the problem that its message describes.',
  },
  FZ406: {
    title: 'A deployment cannot start',
    cause: 'Credentials, a region, a name or a file for the host is missing or wrong.',
    fix: 'Correct the setting that the message names and run the command again.',
  },
  FZ407: {
    title: 'The git repository cannot be used',
    cause: 'A revision does not exist, files are not committed, or a remote cannot be reached.',
    fix: 'Correct what git reports: commit, fetch, or name another revision or remote.',
  },
  FZ408: {
    title: 'Something is in the way of the output',
    cause: 'At the path of a generated file there is a link, a folder, or a file that was not written by a build.',
    fix: 'Move or remove the link, folder or file.',
  },
  FZ409: {
    title: 'A host refused a request',
    cause: 'The tool or the API of the host reported an error. The message quotes it.',
    fix: 'Correct what the host reports, and run the command again. A deployment that was interrupted can be repeated.',
  },
  FZ410: {
    title: 'The bucket may be public',
    cause: 'Paid documents in a public bucket could be downloaded without payment.',
    fix: 'Block public access to the bucket, or use `--private-bucket` if you know that it is private.',
  },
  FZ411: {
    title: 'A check before the deployment failed',
    cause: 'The site that would be deployed does not pass the checks of `frozen verify site`.',
    fix: 'Run `frozen verify site` and correct what it reports.',
  },
  FZ412: {
    title: 'Files are not committed',
    cause: 'A deployment is only reproducible if git has the files that it deploys.',
    fix: 'Commit the files.',
  },
  FZ413: {
    title: 'A deployment would break a promise',
    cause: 'Buyers rely on published data: documents, schemas, passes, and the history of a source.',
    fix: 'Keep the promise, or name the product or source with `--break-promises`.',
  },
  FZ414: {
    title: 'A package is not installed',
    cause: 'Some commands need a further package, which is not installed with frozen-snapshots because of its size.',
    fix: 'Run the npm command that the message names.',
  },
  FZ415: {
    title: 'The destination contains another site',
    cause: 'The bucket or branch contains a site with another `base_url`. The deployment would delete its documents.',
    fix: 'Name another destination, or name the site to replace with `--replace-site`, for example after a change of `base_url`.',
  },
  FZ501: {
    title: 'A setting is missing or wrong',
    cause: 'An environment variable or an option of the gate cannot be used.',
    fix: 'Set it as `frozen help environment` describes.',
  },
  FZ502: {
    title: 'The facilitator cannot be used',
    cause: 'The facilitator does not answer, or does not support the network of the site.',
    fix: 'Check FROZEN_FACILITATOR_URL and its credentials, or try later.',
  },
  FZ503: {
    title: 'The node of the chain cannot be used',
    cause: 'The node does not answer, is behind, or belongs to another network.',
    fix: 'Check the address of the node, or use another node.',
  },
  FZ504: {
    title: 'A wallet cannot be used',
    cause: 'The key is missing or wrong, or the wallet does not have the funds.',
    fix: 'Use the right key, or add funds to the wallet.',
  },
  FZ505: {
    title: 'The ledger cannot be used',
    cause: 'The ledger cannot be opened, is not a ledger, or has another version.',
    fix: 'Check the address of the ledger. A SQLite file and its folder must be writable, on a disk with free space, even for reading.',
  },
  FZ506: {
    title: 'The site is not ready for real money',
    cause: 'A main network needs a real payee, a public address and a node.',
    fix: 'Replace the placeholder that the message names, or use a test network.',
  },
  FZ507: {
    title: 'The demonstration cannot run',
    cause: 'The demonstration buys from the site with test money, so it needs a product and a test network.',
    fix: 'Add a product and a test network to the site.',
  },
  FZ508: {
    title: 'A token is missing or wrong',
    cause:
      'Without the token that you set, a Worker does not show its sales, and an MCP server does not accept requests.',
    fix: 'Use the same token here and in the Worker or server. `openssl rand -hex 32` creates a token.',
  },
  FZ509: {
    title: 'A refund cannot be recorded',
    cause: 'The transfer was not found, does not match the sale, or is already recorded.',
    fix: 'Check the transaction and the sale, and name the transaction with `--paid`.',
  },
  FZ510: {
    title: 'A sale cannot be refunded',
    cause:
      'The ledger does not contain this sale, or several sales match, or it was not paid, or it was refunded before.',
    fix: 'Copy the transaction or the key of the sale from `frozen sales --csv`.',
  },
  FZ511: {
    title: 'The sales of a gate cannot be listed',
    cause: 'The gate does not answer, or it has another version.',
    fix: 'Check the address and the token, deploy this version, or try again later.',
  },
  FZ601: {
    title: 'An address cannot be used',
    cause: 'The address is not one of a site or a document, or contains a user name, a password or a query.',
    fix: 'Use the origin of a site, such as `https://snapshots.example`, or the address of a document in its catalogue.',
  },
  FZ602: {
    title: 'A server did not answer as expected',
    cause: 'The server cannot be reached, or its answer has another status, type or size.',
    fix: 'Check the address, your connection and your proxy, or try again later. If it persists, report it to the publisher.',
  },
  FZ603: {
    title: 'Received data does not match what was published',
    cause: 'A digest, a signature, a schema or a count differs from the catalogue.',
    fix: 'Do not use the document. Report it to the publisher.',
  },
  FZ604: {
    title: 'The purchase is not allowed by your limits',
    cause: 'The price, the payee, the network or the total exceeds what you allowed.',
    fix: 'If you accept the terms, change the option that sets the limit: `--max`, `--budget`, `--only` or `--network`.',
  },
  FZ605: {
    title: 'A payment did not lead to a document',
    cause: 'The payment was declined, or its outcome is not known yet.',
    fix: 'Run the same command again: it does not pay twice.',
  },
  FZ606: {
    title: 'A saved document or receipt cannot be used',
    cause: 'The file is missing, is not a receipt, or is about another document.',
    fix: 'Use the files that `frozen buy` saved.',
  },
  FZ608: {
    title: 'The terms of a product cannot be accepted',
    cause:
      'The payment terms of the server are not valid, differ from the catalogue, or belong to a site at another address.',
    fix: 'Nothing was paid. Report it to the publisher.',
  },
  FZ609: {
    title: 'An offer changed',
    cause: 'The price, the payee or the document is not what was shown or named before.',
    fix: 'Look at the offer again, and buy it if you accept it.',
  },
  FZ610: {
    title: 'Another purchase of this document is open',
    cause: 'A purchase in the same folder is running, or was started with another wallet or under another name.',
    fix: 'Wait until that purchase has ended, or continue it as the message says.',
  },
  FZ611: {
    title: 'Your record of purchases cannot be used',
    cause: 'A file in the folder of your purchases cannot be read or written, or is damaged.',
    fix: 'Restore the file from a backup, or check the permissions and the free space. Do not edit the files.',
  },
  FZ612: {
    title: 'A site changed data that it had published',
    cause: 'The catalogue differs from the one at your last purchase, although published data must not change.',
    fix: 'Ask the publisher. Use `--accept-rewritten` if you accept the change.',
  },
  FZ613: {
    title: 'The identity of a site changed',
    cause: 'The payee or the signing key of the site is not the one from your earlier purchases or from your options.',
    fix: 'Nothing was paid. Ask the publisher through another channel about the change, and then name the new payee or key.',
  },
  FZ614: {
    title: 'A product does not exist',
    cause: 'The catalogue of the site does not list a product of this name.',
    fix: 'Choose one of the names in the message.',
  },
  FZ615: {
    title: 'A product is no longer sold',
    cause: 'The catalogue of the site no longer lists the product.',
    fix: 'Use the document that was bought before, or ask the publisher.',
  },
  FZ616: {
    title: 'A document is too large or not a normal file',
    cause: 'Limits protect the machine that checks documents.',
    fix: 'Use a normal file below the limit. Report it to the publisher if the site sent it.',
  },
  FZ617: {
    title: 'This is not a site',
    cause: 'The folder or address does not have the files of a site.',
    fix: 'Name the folder with data/ and public/, or the address of the site.',
  },
  FZ618: {
    title: 'A signature or signed statement is not valid',
    cause: 'The statement is not a compact JWS with Ed25519, or does not contain the required members.',
    fix: 'Do not rely on it. Report it to the publisher.',
  },
  FZ619: {
    title: 'A catalogue is not valid',
    cause: 'The catalogue or a schema of the site does not have the form of docs/specification.md.',
    fix: 'Report it to the publisher. If the site is yours, run `frozen build`.',
  },
  FZ620: {
    title: 'A text or file does not contain a key',
    cause: 'The option needs the `kid` or `x` of an Ed25519 key, or a file with one (JWK, JWKS or data/site.json).',
    fix: 'Copy the key from the publisher.',
  },
  FZ621: {
    title: 'A certificate cannot be read',
    cause: 'The file is not a certificate or revocation list in PEM or DER.',
    fix: 'Download the file again from the authority.',
  },
  FZ901: {
    title: 'Options cannot be combined',
    cause: 'An option has no effect here, requires another one, or cannot be used with another one.',
    fix: 'Remove the option, or the one that it cannot be used with.',
  },
  FZ902: {
    title: 'An option has a wrong value',
    cause: 'The value cannot be read, or is outside of its range.',
    fix: 'Correct the value. `--help` describes each option.',
  },
  FZ903: {
    title: 'An option is missing',
    cause: 'The command needs a further option or variable.',
    fix: 'Add the option or variable that the message names.',
  },
  FZ904: {
    title: 'The command was stopped',
    cause: 'The command was cancelled before it was finished.',
    fix: 'Run it again.',
  },
  FZ905: {
    title: 'The command line cannot be read',
    cause: 'A command, an option or an argument is unknown, missing or has a wrong value.',
    fix: 'Run the command with `--help`.',
  },
  FZ906: {
    title: 'A passphrase is missing',
    cause: 'The file is encrypted, and no passphrase was entered or set.',
    fix: 'Enter the passphrase on a terminal, or set the variable that the message names.',
  },
  FZ907: {
    title: 'A port or an address cannot be used',
    cause: 'Another program uses the port, the system does not allow it, or the machine does not have the address.',
    fix: 'Choose another port or address, or stop the program that uses the port.',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;

/** A stable code of an expected error. */
export type ErrorCode = keyof typeof ERRORS;
