import {XMLParser} from 'fast-xml-parser';

/**
 * An XML document as objects, read by another library than the one that writes it; attributes are members with an `@`,
 * and an element that may repeat is always a list.
 */
export function readXml(text: string): unknown {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    parseTagValue: false,
    // Characters by their number, too. What is to replace this asks for a decoder of ours.
    // oxlint-disable-next-line typescript/no-deprecated
    htmlEntities: true,
    isArray: name => ['entry', 'link', 'sitemap', 'url'].includes(name),
  });
  return parser.parse(text) as unknown;
}
