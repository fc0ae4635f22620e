import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../bench/server'
import { type Exchange, requestText, sendBytes } from './wire'

/** Debian's nginx in front of a server, as the guide sets it up; for whom it speaks is said in the PROXY protocol. */

const GUIDE = join(import.meta.dir, '../../docs/guides/behind-a-proxy.md')
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
  const asking = (port: number) => (request: Request) => sendBytes(`http://127.0.0.1:${port}`, textOf(request))
  const { port, ...nginx } = await runNginx(
    (port) => forClients(port, upstream),
    (port) => asking(port)({ from: '192.0.2.1', path: '/healthz' }),
  )
  return { ask: asking(port), ...nginx }
}

/** The name in the guide. */
export const GUIDE_HOST = 'satchel.example'

/**
 * Starts nginx with server blocks for TLS as the guide has them, but for their port and certificate.
 * @throws Error where nginx or openssl is not installed, or the configuration has a fault
 */
export function startGuideNginx(servers: string): Promise<{ readonly port: number } & AsyncDisposable> {
  return runNginx(
    (port, folder) => {
      makeCertificate(folder)
      const here = servers
        .replaceAll('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
        .replaceAll(/\/etc\/letsencrypt\/live\/\S+?\/(\w+\.pem)/g, `${folder}/$1`)
      return frame(here)
    },
    (port) => fetch(`https://127.0.0.1:${port}/`, { tls: { rejectUnauthorized: false } }),
  )
}

/**
 * Starts nginx for TLS as the guide has it, with the server at `upstream` below a path.
 * @param path with a slash at both ends; `/` for the root
 * @param directives more of them, for all servers
 * @returns the address of the server with a slash at the end
 */
export async function startNginxBelow(
  path: string,
  upstream: string,
  directives = '',
): Promise<{ readonly url: string } & AsyncDisposable> {
  const [atRoot = '', below = ''] = [...readFileSync(GUIDE, 'utf8').matchAll(/^```nginx.*\n([\s\S]*?)^```$/gm)].map(
    ([, text = '']) => text.replaceAll('http://127.0.0.1:3000', upstream),
  )
  const locations = below.replaceAll('/satchel', path.slice(0, -1))
  const servers = path === '/' ? atRoot : atRoot.replace(/ *location \/ \{[^}]*\}\n/, () => locations)
  const { port, ...nginx } = await startGuideNginx(directives + servers)
  return { url: `https://127.0.0.1:${port}${path}`, ...nginx }
}

function makeCertificate(folder: string): void {
  const files = ['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')]
  const kind = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${GUIDE_HOST}`]
  const { success, stderr } = Bun.spawnSync(['openssl', 'req', ...kind, ...files], { stderr: 'pipe' })
  if (!success) throw new Error(`openssl makes no certificate: ${stderr.toString()}`)
}

/** Tests a configuration with `nginx -t` and runs it, once it answers. */
async function runNginx(
  configure: (port: number, folder: string) => string,
  ask: (port: number) => Promise<unknown>,
): Promise<{ readonly port: number } & AsyncDisposable> {
  const program = Bun.which('nginx', { PATH: `${process.env.PATH}:/usr/sbin` })
  if (!program) throw new Error("nginx is missing: install Debian's package nginx-light.")
  const folder = mkdtempSync(join(tmpdir(), 'satchel-nginx-'))
  const files = [program, '-p', folder, '-c', 'nginx.conf', '-e', 'stderr']
  for (let tries = 1; ; tries++) {
    const port = freePort()
    writeFileSync(join(folder, 'nginx.conf'), configure(port, folder))
    const tested = Bun.spawnSync([...files, '-t'], { stderr: 'pipe' })
    if (!tested.success) throw new Error(`nginx refuses its configuration: ${tested.stderr.toString()}`)
    const child = Bun.spawn(files, { stderr: 'pipe' })
    if (await isServing(child, () => ask(port))) {
      const stop = async () => {
        child.kill()
        await child.exited
        rmSync(folder, { recursive: true, force: true })
      }
      return { port, [Symbol.asyncDispose]: stop }
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

/** For clients that say who they are; the location is the guide's own. */
function forClients(port: number, upstream: string): string {
  const location = /location \/ \{[^}]*\}/.exec(readFileSync(GUIDE, 'utf8'))?.[0]
  if (!location) throw new Error('The guide has no location for nginx.')
  return frame(`server {
    listen 127.0.0.1:${port} proxy_protocol;
    set_real_ip_from 127.0.0.1;
    real_ip_header proxy_protocol;
    ${location.replace('http://127.0.0.1:3000', upstream)}
  }`)
}

/** One process, without workers that would run as somebody else. */
function frame(servers: string): string {
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`)
  return `
    daemon off; master_process off; pid nginx.pid; error_log stderr error;
    events { worker_connections 512; }
    http {
      access_log off;
      ${folders.join(' ')}
      ${servers}
    }`
}

function textOf({ from, method = 'GET', path, headers = [], body = '' }: Request): string {
  const [family, to] = from.includes(':') ? ['TCP6', '::1'] : ['TCP4', '127.0.0.1']
  const length = body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]
  const text = requestText(`${method} ${path} HTTP/1.1`, [`Host: ${HOST}`, ...headers, ...length])
  return `PROXY ${family} ${from} ${to} 40000 80\r\n${text}${body}`
}
