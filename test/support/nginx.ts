import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../bench/server'
import { type Exchange, requestText, sendBytes } from './wire'

/** Debian's nginx in front of a server, as the README sets it up; for whom it speaks is said in the PROXY protocol. */

const README = join(import.meta.dir, '../../README.md')
/** In bytes: nginx takes no longer line of a header (large_client_header_buffers), its name and CRLF included. */
export const HEADER_LINE_BYTES = 8192
/** What clients ask for. */
export const HOST = 'notes.example:8443'
/** How often another port is tried where somebody took the one that was free. */
const TRIES = 5

export interface Request {
  /** Whom nginx takes for its client. */
  readonly from: string
  readonly method?: string
  readonly path: string
  /** Lines of the header, beside Host. */
  readonly headers?: readonly string[]
  readonly body?: string
}

export interface Nginx extends AsyncDisposable {
  ask(request: Request): Promise<Exchange>
}

/** Starts nginx before the server at `upstream`. @throws Error where nginx is not installed, or does not start */
export async function startNginx(upstream: string): Promise<Nginx> {
  const { base, stop } = await serve(
    (port) => configuration(port, 'proxy_protocol', readLocation(upstream)),
    isAnswering,
  )
  const ask = (request: Request) => sendBytes(base, textOf(request))
  return { ask, [Symbol.asyncDispose]: stop }
}

/**
 * Starts nginx with a certificate of its own, and the server at `upstream` below a path.
 * @param path with a slash at both ends
 * @returns the address of the server with a slash at the end
 * @throws Error where nginx or openssl is not installed, or does not start
 */
export async function startNginxBelow(
  path: string,
  upstream: string,
): Promise<AsyncDisposable & { readonly url: string }> {
  const location = readLocation(`${upstream}/`).replace('location /', `location ${path}`)
  const keys = ['-keyout', 'key.pem', '-out', 'cert.pem']
  const openssl = [
    'openssl',
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '1',
    '-subj',
    '/CN=localhost',
    ...keys,
  ]
  const tls = 'ssl_certificate cert.pem; ssl_certificate_key key.pem;'
  const { base, stop } = await serve(
    (port) => configuration(port, 'ssl', `${tls} ${location}`),
    (base) => fetch(base.replace('http', 'https'), { tls: { rejectUnauthorized: false } }),
    (folder) => Bun.spawnSync(openssl, { cwd: folder }),
  )
  return { url: base.replace('http', 'https') + path, [Symbol.asyncDispose]: stop }
}

const isAnswering = (base: string) => sendBytes(base, textOf({ from: '192.0.2.1', path: '/healthz' }))

/**
 * Starts nginx at a free port.
 * @param write the configuration for a port
 * @param ask asks it something, and rejects if it does not answer
 * @param prepare puts files into its folder
 */
async function serve(
  write: (port: number) => string,
  ask: (base: string) => Promise<unknown>,
  prepare: (folder: string) => unknown = () => {},
) {
  const program = Bun.which('nginx', { PATH: `${process.env.PATH}:/usr/sbin` })
  if (!program) throw new Error("nginx is missing: install Debian's package nginx-light.")
  const folder = mkdtempSync(join(tmpdir(), 'satchel-nginx-'))
  prepare(folder)
  for (let tries = 1; ; tries++) {
    const port = freePort()
    writeFileSync(join(folder, 'nginx.conf'), write(port))
    const child = Bun.spawn([program, '-p', folder, '-c', 'nginx.conf', '-e', 'stderr'], { stderr: 'pipe' })
    const base = `http://127.0.0.1:${port}`
    if (await isServing(child, () => ask(base))) {
      const stop = async () => {
        child.kill()
        await child.exited
        rmSync(folder, { recursive: true, force: true })
      }
      return { base, stop }
    }
    if (tries === TRIES) throw new Error(`nginx does not start: ${await new Response(child.stderr).text()}`)
  }
}

/** Whether it answers before it ends: a port in use ends it. */
async function isServing(child: { readonly exitCode: number | null }, ask: () => Promise<unknown>): Promise<boolean> {
  while (child.exitCode === null) {
    const answer = await ask().catch(() => null)
    if (answer) return true
  }
  return false
}

/** The location of the README, for the server at `upstream`. */
function readLocation(upstream: string): string {
  const location = /location \/ \{[^}]*\}/.exec(readFileSync(README, 'utf8'))?.[0]
  if (!location) throw new Error('The README has no location for nginx.')
  return location.replace('http://127.0.0.1:3000', upstream)
}

/** One process, without workers that would run as somebody else. */
function configuration(port: number, kind: 'proxy_protocol' | 'ssl', inServer: string): string {
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`)
  return `
    daemon off; master_process off; pid nginx.pid; error_log stderr error;
    events { worker_connections 512; }
    http {
      access_log off;
      ${folders.join(' ')}
      server {
        listen 127.0.0.1:${port} ${kind};
        ${kind === 'ssl' ? '' : 'set_real_ip_from 127.0.0.1; real_ip_header proxy_protocol;'}
        ${inServer}
      }
    }`
}

function textOf({ from, method = 'GET', path, headers = [], body = '' }: Request): string {
  const [family, to] = from.includes(':') ? ['TCP6', '::1'] : ['TCP4', '127.0.0.1']
  const length = body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]
  const text = requestText(`${method} ${path} HTTP/1.1`, [`Host: ${HOST}`, ...headers, ...length])
  return `PROXY ${family} ${from} ${to} 40000 80\r\n${text}${body}`
}
