/**
 * Keeps the app's own files, so that it opens without network. Nothing else goes through here: what the API answers is kept
 * by app/data, and other pages are not the app's.
 *
 * All versions share one cache, whose entries are named by path and content: a new version fetches only what is new in it,
 * and a page of the version before still finds its parts.
 */

/** What a service worker has and a page has not; the types of both cannot be used together. */
interface WorkerScope {
  readonly registration: ServiceWorkerRegistration
  readonly clients: {
    claim(): Promise<void>
    matchAll(options: { type: 'window'; includeUncontrolled: true }): Promise<readonly { readonly url: string }[]>
  }
  skipWaiting(): Promise<void>
  addEventListener(type: 'install' | 'activate' | 'message', listener: (event: LifetimeEvent) => void): void
  addEventListener(type: 'fetch', listener: (event: RequestEvent) => void): void
}

interface LifetimeEvent extends Event {
  waitUntil(work: Promise<unknown>): void
}

interface RequestEvent extends LifetimeEvent {
  readonly request: Request
  respondWith(answer: Promise<Response>): void
}

/** Path from the server's address, such as `app/main.js`, and hash of the content of each file, as build/bundle-app.ts writes them in. */
declare const FILES: Readonly<Record<string, string>>
/** The page, whose hash is not that of its bytes: the server links its files by addresses of its own. */
declare const PAGE: string

const worker = globalThis as unknown as WorkerScope
const files = new Map(Object.entries(FILES))
const scope = new URL(worker.registration.scope)
const server = new URL('../', scope)
/** Several servers may be below paths of one host. */
const CACHE = `satchel ${scope.pathname}`

worker.addEventListener('install', (event) => event.waitUntil(locked({}, fetchMissing)))
worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()))
// The page sends one message: the person wants the version that waits.
worker.addEventListener('message', (event) => event.waitUntil(worker.skipWaiting()))
worker.addEventListener('fetch', (event) => {
  const path = pathOf(event.request)
  if (path === null) return
  event.respondWith(answer(path, event.request))
  if (path === PAGE) event.waitUntil(locked({ ifAvailable: true }, forgetOthers))
})

/** The path of a file of the app that is asked for, by whichever of its addresses; null for all else. */
function pathOf({ method, url }: Request): string | null {
  const { origin, pathname } = new URL(url)
  if (method !== 'GET' || origin !== server.origin || !pathname.startsWith(server.pathname)) return null
  if (pathname === scope.pathname) return PAGE
  const path = pathname.slice(server.pathname.length).replace(/^assets\/[^/]+\//, '')
  return files.has(path) || path.startsWith('app/') ? path : null
}

const entryOf = (path: string, hash: string) => new URL(`${path}?${encodeURIComponent(hash)}`, server).href

/** What is kept; else the server's answer, for what belongs to no version here, or where the browser has cleared its storage. */
async function answer(path: string, request: Request): Promise<Response> {
  const cache = await caches.open(CACHE)
  const hash = files.get(path)
  const kept =
    hash === undefined
      ? await cache.match(new URL(path, server).href, { ignoreSearch: true })
      : await cache.match(entryOf(path, hash))
  return kept ?? fetch(request)
}

/** Completes this version, or throws: the one before goes on then. One file after the other, so as not to hold up the page. */
async function fetchMissing(): Promise<void> {
  const cache = await caches.open(CACHE)
  /** Where the page has its files from; empty: from addresses without a version. */
  let folder = ''
  const paths = [PAGE, ...[...files.keys()].filter((path) => path !== PAGE)]
  for (const path of paths) {
    const hash = files.get(path) ?? ''
    const entry = entryOf(path, hash)
    if (await cache.match(entry)) continue
    const response = path === PAGE ? await fetchAnew(scope) : await fetchFile(path, hash, folder)
    // A sign-in page in place of the server's answer is not kept.
    if (response.status !== 200 || response.redirected) throw new Error(`${path}: ${response.status} ${response.url}`)
    const content = await response.blob()
    if (path === PAGE) folder = /assets\/[^/"]+\//.exec(await content.text())?.[0] ?? ''
    // Made anew it has no address of its own: the imports in a file are relative to the address that the page asked for.
    await cache.put(entry, new Response(content, response))
  }
}

/** Asks the server, whatever a proxy lets browsers keep. */
const fetchAnew = (url: URL, options: RequestInit = {}) => fetch(url, { ...options, cache: 'no-cache' })

/** What the page has loaded already is taken from the browser's own cache, unless that has something else. */
async function fetchFile(path: string, hash: string, folder: string): Promise<Response> {
  const anew = () => fetchAnew(new URL(path, server), { integrity: hash })
  return folder === '' ? anew() : fetch(new URL(folder + path, server), { integrity: hash }).catch(anew)
}

/** Deletes the files of other versions, once no page is open that may need them and none is on its way. */
async function forgetOthers(): Promise<void> {
  const { installing, waiting } = worker.registration
  const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })
  if (installing || waiting || windows.some(({ url }) => url.startsWith(scope.href))) return
  const cache = await caches.open(CACHE)
  const own = new Set([...files].map(([path, hash]) => entryOf(path, hash)))
  for (const { url } of await cache.keys()) if (!own.has(url)) await cache.delete(url)
}

/** Versions that are installed and forgotten at once would take each other's files away. */
const locked = (options: LockOptions, work: () => Promise<void>) =>
  navigator.locks.request(CACHE, options, async (lock) => {
    if (lock) await work()
  })
