/**
 * Elements of a page: `//shop/cart/xpath=//button[1]`, the path of the page and a selector with its family. Only the
 * page knows which selectors find one element, so selectors of two families are two objects. Every element lies below
 * its page.
 */
import { escapeSegment } from '../../model/key.ts';

const FAMILY = /^[A-Za-z][\w-]*=/;

/** The key of an element, or of a page where there is no selector; null where there is neither. */
export function pageSegments(scheme: string, text: string): readonly string[] | null {
  const parts = text.replace(/^\/+/, '').split('/');
  const first = parts.findIndex((part) => FAMILY.test(part));
  const page = (first === -1 ? parts : parts.slice(0, first)).filter((part) => part !== '');
  if (first === -1) return page.length === 0 ? null : [scheme, ...page.map(escapeSegment)];
  const selector = collapsed(parts.slice(first).join('/'));
  return [scheme, ...(page.length === 0 ? [''] : page), selector].map((part, index) =>
    index === 0 ? part : escapeSegment(part),
  );
}

/** White space has no meaning in XPath, except in a text; in CSS it is a combinator, and stays. */
function collapsed(selector: string): string {
  if (!selector.startsWith('xpath=')) return selector;
  const path = selector.slice('xpath='.length).replace(/[ \t\r\n]+/g, ' ');
  return `xpath=${path.trim()}`;
}
