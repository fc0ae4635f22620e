/** What `satchel doctor` finds on the way to the server: whom it takes the caller for, and what proxies say. */
import { createProof, PROOF_HEADER } from '../gate/keys'
import type { RequestView } from '../gate/request-view'
import { ask } from './health'

/** An address for documentation, which nobody has (RFC 5737). */
const FORGED = '192.0.2.123'

/** What was found, a sentence each; a fault ends without its full stop. */
interface WayFindings {
  readonly facts: readonly string[]
  readonly faults: readonly string[]
}

/**
 * Asks the server what it takes a request for.
 * @param url where it is asked
 * @param secret that of the data folder, or it does not say
 * @param now milliseconds since 1970
 * @param headers sent with the request
 * @throws Error of one sentence if there is no Satchel, or it does not know the secret
 */
async function askView(url: string, secret: Uint8Array, now: number, headers = {}): Promise<RequestView> {
  const { status, text } = await ask(`${url}/readyz`, { ...headers, [PROOF_HEADER]: createProof(secret, now) })
  if (status >= 300 && status < 400) throw new Error(`${url} redirects to another address: name that one with --url=.`)
  const body = readObject(text)
  if (status === 503 && body?.code === 'unavailable') throw new Error(`The server at ${url} is not ready.`)
  if (status !== 200 || body?.status !== 'ready')
    throw new Error(`What answers ${url}/readyz is not Satchel: status ${status}.`)
  if (!body.request)
    throw new Error(
      `The server at ${url} does not say what it takes a request for: it has another data folder, a clock that differs by over a minute, another version, or a proxy that drops the header ${PROOF_HEADER}.`,
    )
  return body.request as RequestView
}

function readObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    // A proxy may answer in HTML.
    return null
  }
}

/** Looks at the server asked past all proxies. @throws Error of one sentence */
export async function examineDirectWay(url: string, secret: Uint8Array, now: number): Promise<WayFindings> {
  const view = await askView(url, secret, now)
  const believed = view.has_proxies
    ? `The proxies in TRUSTED_PROXIES are believed, which name the caller in ${view.header}.`
    : 'No proxy is believed: a caller is the address that connects.'
  return { facts: [believed, describe(url, view)], faults: [] }
}

/** Looks at the server asked as its callers do, through their proxies. @throws Error of one sentence */
export async function examineProxiedWay(url: string, secret: Uint8Array, now: number): Promise<WayFindings> {
  const view = await askView(url, secret, now)
  const name = view.header
  const forgery = { [name]: name.toLowerCase() === 'forwarded' ? `for=${FORGED}` : FORGED }
  const forged = await askView(url, secret, now, forgery)
  const note =
    view.client_is === 'loopback' && view.read > 0
      ? ['That is this machine itself, or a proxy on it that names no caller: to tell them apart, ask from elsewhere.']
      : []
  return {
    facts: [describe(url, view), ...note],
    faults: [...findHostFault(url, view), ...findPeerFault(view), ...findForgery(view, forged)],
  }
}

function describe(url: string, { peer, is_trusted, header, value, client, scheme, host }: RequestView): string {
  const source =
    is_trusted && value !== null
      ? `from ${header} "${value}", which ${peer} sent, of TRUSTED_PROXIES`
      : `the address that connects, ${is_trusted ? `of TRUSTED_PROXIES but without ${header}` : 'not of TRUSTED_PROXIES'}`
  return `Asked at ${url}, the server takes the caller for ${client} (${source}), the host for ${host} and the scheme for ${scheme}.`
}

const withoutDefaultPort = (host: string) => host.replace(/:(80|443)$/, '')

function findHostFault(url: string, { host }: RequestView): string[] {
  const asked = new URL(url).host
  return withoutDefaultPort(host) === withoutDefaultPort(asked)
    ? []
    : [
        `a proxy sends the Host ${host} in place of ${asked}, so what is stored without a key is shared by all its names, and addresses in answers lead astray: let it pass Host on (nginx: proxy_set_header Host $http_host)`,
      ]
}

/** Finds whether callers are counted one by one. */
function findPeerFault(view: RequestView): string[] {
  const { peer, header, value, client } = view
  const other = view.forwarding.find((name) => name !== header.toLowerCase())
  if (!view.is_trusted) return [describeUntrusted(view)]
  if (value === null)
    return [
      other
        ? `the proxy ${peer} names callers in ${other}, not in ${header}, so all of them are counted as one: set CLIENT_IP_HEADER=${other}`
        : `${peer} is of TRUSTED_PROXIES and sends no ${header}, so all callers are counted as one: let it send their addresses (nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for), or take it out of TRUSTED_PROXIES if it is no proxy`,
    ]
  if (view.is_incomplete)
    return [`${header} "${value}" cannot be read as addresses, so a proxy is counted as the caller: let it send those`]
  // This command sent none, so a proxy wrote each of them.
  if (value.split(',').filter((entry) => entry.trim() !== '').length > view.read)
    return [
      `${client} is counted as the caller, but is a proxy, since ${header} "${value}" has another before it: name ${client} in TRUSTED_PROXIES, too`,
    ]
  if (view.client_is === 'trusted')
    return [
      `the caller is counted as ${client}, which is of TRUSTED_PROXIES: if that is a proxy, let it send ${header}; if you ask from there, name only the proxies in TRUSTED_PROXIES, not a whole network`,
    ]
  return []
}

function describeUntrusted({ peer, header, forwarding, has_proxies }: RequestView): string {
  const [name] = forwarding
  if (name === undefined)
    return `${peer}, which connects, is not of TRUSTED_PROXIES and names no caller: if it is a proxy, all its callers are counted as one, so let it send ${header} and set TRUSTED_PROXIES=${peer}; if callers connect directly, ${has_proxies ? 'unset TRUSTED_PROXIES' : 'leave --url out'}`
  const another = forwarding.includes(header.toLowerCase()) ? '' : ` CLIENT_IP_HEADER=${name}`
  return `a proxy at ${peer} names callers and is not believed, so all of them are counted as one: set TRUSTED_PROXIES=${peer}${another}`
}

/** Finds whether a caller can name any address, by a request that tries. */
function findForgery(view: RequestView, forged: RequestView): string[] {
  const isTaken = forged.client === FORGED && (forged.read === 1 || view.client_is === 'other')
  return isTaken
    ? [
        `who sends ${view.header} is taken for any address, so no limit holds: let the proxy ${forged.peer} add the caller's address to it (nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for), or take ${forged.peer} out of TRUSTED_PROXIES if it is no proxy`,
      ]
    : []
}
