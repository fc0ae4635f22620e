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
  const program = Bun.which('nginx', { PATH: `${process.env.PATH}:/usr/sbin` })
  if (!program) throw new Error("nginx is missing: install Debian's package nginx-light.")
  const folder = mkdtempSync(join(tmpdir(), 'satchel-nginx-'))
  for (let tries = 1; ; tries++) {
    const port = freePort()
    writeFileSync(join(folder, 'nginx.conf'), configuration(port, upstream))
    const child = Bun.spawn([program, '-p', folder, '-c', 'nginx.conf', '-e', 'stderr'], { stderr: 'pipe' })
    const base = `http://127.0.0.1:${port}`
    const ask = (request: Request) => sendBytes(base, textOf(request))
    if (await isServing(child, ask)) {
      const stop = async () => {
        child.kill()
        await child.exited
        rmSync(folder, { recursive: true, force: true })
      }
      return { ask, [Symbol.asyncDispose]: stop }
    }
    if (tries === TRIES) throw new Error(`nginx does not start: ${await new Response(child.stderr).text()}`)
  }
}

/** Whether it answers before it ends: a port in use ends it. */
async function isServing(child: { readonly exitCode: number | null }, ask: Nginx['ask']): Promise<boolean> {
  while (child.exitCode === null) {
    const answer = await ask({ from: '192.0.2.1', path: '/healthz' }).catch(() => null)
    if (answer) return true
  }
  return false
}

/** One process, without workers that would run as somebody else; the location is the README's own. */
function configuration(port: number, upstream: string): string {
  const location = /location \/ \{[^}]*\}/.exec(readFileSync(README, 'utf8'))?.[0]
  if (!location) throw new Error('The README has no location for nginx.')
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`)
  return `
    daemon off; master_process off; pid nginx.pid; error_log stderr error;
    events { worker_connections 512; }
    http {
      access_log off;
      ${folders.join(' ')}
      server {
        listen 127.0.0.1:${port} proxy_protocol;
        set_real_ip_from 127.0.0.1;
        real_ip_header proxy_protocol;
        ${location.replace('http://127.0.0.1:3000', upstream)}
      }
    }`
}

function textOf({ from, method = 'GET', path, headers = [], body = '' }: Request): string {
  const [family, to] = from.includes(':') ? ['TCP6', '::1'] : ['TCP4', '127.0.0.1']
  const length = body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]
  const text = requestText(`${method} ${path} HTTP/1.1`, [`Host: ${HOST}`, ...headers, ...length])
  return `PROXY ${family} ${from} ${to} 40000 80\r\n${text}${body}`
}
