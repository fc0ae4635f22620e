/**
 * The site that a request belongs to. Scratch spaces are told apart by it, so that a web page of another site, also one
 * whose name was made to lead here, meets an empty space of its own.
 */
import { authority } from '../http/target'
import { isLoopback, parseAddress } from './client-address'

export interface Site {
  /** '' for the loopback names; else the host name and, for a page of another origin, that origin. */
  readonly name: string
  /** The page is of this very site, by the browser's word, and yet was addressed otherwise: a proxy changed Host. */
  readonly hostRewritten: boolean
}

/** Where the request was sent to, and from which page. */
export function siteOf({ url, headers }: Pick<Request, 'url' | 'headers'>): Site {
  const host = withoutDefaultPort(authority(url).toLowerCase())
  const origin = headers.get('origin')
  const told = headers.get('sec-fetch-site')
  const differs =
    origin !== null && withoutDefaultPort(origin.toLowerCase().replace(/^[a-z][a-z0-9+.-]*:\/\//, '')) !== host
  const own = told === 'same-origin' || told === 'none'
  const foreign = told === 'cross-site' || told === 'same-site' || (!own && differs)
  const name = nameOf(host)
  return {
    name: foreign ? `${name} ${origin ?? 'null'}` : name,
    // A page may hide its origin from its own site, too.
    hostRewritten: told === 'same-origin' && differs && origin !== 'null',
  }
}

/** Whether Host came once: two lines arrive joined by a comma, and one of them names another site. */
export function hasOneHost(headers: Headers): boolean {
  return !headers.get('host')?.includes(',')
}

/** The scheme is left aside, as a proxy that ends TLS changes it: both default ports are none. */
function withoutDefaultPort(host: string): string {
  return host.replace(/:(80|443)?$/, '')
}

/** The host name without its port; '' for every name and address of the loopback: no name server is asked for them. */
function nameOf(host: string): string {
  const name = host.replace(/:\d*$/, '')
  if (name === 'localhost' || name.endsWith('.localhost')) return ''
  const address = parseAddress(name.replace(/^\[(.*)\]$/, '$1'))
  return address && isLoopback(address) ? '' : name
}
