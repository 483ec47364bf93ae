import xmlbuilder, {type XMLElement} from 'xmlbuilder';

/**
 * An XML document as text. A character that XML cannot hold, however it is escaped, becomes U+FFFD.
 *
 * @param build adds to the root element
 */
export function xmlDocument(namespace: string, root: string, build: (root: XMLElement) => void): string {
  const element = xmlbuilder.create(root, {version: '1.0', encoding: 'utf-8', invalidCharReplacement: '\uFFFD'});
  build(element.att('xmlns', namespace));
  return `${element.end({pretty: true})}\n`;
}
