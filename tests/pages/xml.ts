import {XMLParser} from 'fast-xml-parser';

/**
 * Reads an XML document as objects, with another library than the one that writes it. Attributes are members with an
 * `@`, and an element that may repeat is always a list.
 */
export function readXml(text: string): unknown {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    parseTagValue: false,
    // Also decodes numeric character references. The replacement of this option needs our own decoder.
    // oxlint-disable-next-line typescript/no-deprecated
    htmlEntities: true,
    isArray: name => ['entry', 'link', 'sitemap', 'url'].includes(name),
  });
  return parser.parse(text) as unknown;
}
