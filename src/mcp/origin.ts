import { parseAuthority } from '../http/security-headers'

/** Names that every resolver answers with an address of loopback (RFC 6761). */
const LOOPBACK_NAME = /^(?:[^:]+\.)?localhost(?::\d+)?$/
/** An IP address with an optional port, as URLs are normalized: it needs no name server. */
const IP_ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])(?::\d+)?$/

/**
 * Whether a page of the origin that a request names may call without a key. Pages of this server itself may, if its host
 * is an address or a name of loopback. Of other names it cannot be known: a page of another site can let its own name
 * resolve to this machine, and then its origin and the host are the same (DNS rebinding).
 * @param allowed the origins that the operator has named
 */
export function isAllowedOrigin(
  { url, headers }: Pick<Request, 'url' | 'headers'>,
  allowed: readonly string[],
): boolean {
  const origin = headers.get('origin')
  // Only browsers send it, and pages cannot leave it out of a POST.
  if (origin === null || allowed.includes(origin)) return true
  const [, scheme = '', pageHost = ''] = /^(https?):\/\/([^/?#@,\s]+)$/.exec(origin.toLowerCase()) ?? []
  const host = withoutPort(parseAuthority(url).toLowerCase(), '80')
  if (pageHost === '' || withoutPort(pageHost, scheme === 'https' ? '443' : '80') !== host) return false
  return LOOPBACK_NAME.test(host) || IP_ADDRESS.test(host)
}

function withoutPort(host: string, port: string): string {
  return host.endsWith(`:${port}`) ? host.slice(0, -port.length - 1) : host
}
