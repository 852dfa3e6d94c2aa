/**
 * URLs, as the WHATWG parser of the platform reads them. Spellings that servers seldom tell apart have one key: a
 * doubled or a trailing slash, the order of the query's parameters, `+` and `%20` in it. For a server that does tell
 * them apart this adds a dependency; the opposite choice would miss one.
 */

/** The key of a URL, host first and query last; null for a text that is no URL of the web, or has no host. */
export function urlSegments(scheme: string, text: string): readonly string[] | null {
  const url = parsed(scheme, text);
  if (url === null) return null;
  const host = url.host.replace(/\.+(?=:\d+$|$)/, '');
  const path = url.pathname.split('/').filter((segment) => segment !== '');
  const parameters = url.search
    .slice(1)
    .split('&')
    .filter((parameter) => parameter !== '')
    .map((parameter) => normalised(parameter.replaceAll('+', '%20')))
    .sort();
  const query = parameters.length === 0 ? [] : [`?${parameters.join('&')}`];
  return host === '' ? null : [scheme, host.replaceAll('*', '%2A'), ...path.map(normalised), ...query];
}

/** A whole URL, as an argument may be one, or what follows the scheme of the key. */
function parsed(scheme: string, text: string): URL | null {
  const whole = urlOf(text);
  if (/^\s*https?:/i.test(text) || whole?.protocol === 'http:' || whole?.protocol === 'https:') return whole;
  // `localhost:80` looks like a URL of another scheme.
  if (whole !== null && !/^[^:]*:\d+(?:[/?#]|$)/.test(text)) return null;
  // A path alone names no host, and the parser would take its first segment for one.
  if (/^\s*[/\\](?![/\\])/.test(text)) return null;
  return urlOf(`${scheme === 'http:' ? 'http:' : 'https:'}${text.trimStart()}`);
}

function urlOf(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/**
 * One form for each octet (RFC 3986, 6.2.2): unreserved octets stand plain, the others as %XX in capitals, and so does
 * a `*`.
 */
function normalised(text: string): string {
  return text.replace(/%([0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()+,;=:@]/g, (match, hex?: string) => {
    const code = hex === undefined ? match.charCodeAt(0) : Number.parseInt(hex, 16);
    const char = String.fromCharCode(code);
    if (hex !== undefined && /[A-Za-z0-9\-._~]/.test(char)) return char;
    return `%${code.toString(16).toUpperCase().padStart(2, '0')}`;
  });
}
