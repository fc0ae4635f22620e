/**
 * Devices with the app, without pixels: its own modules, as they are bundled for the browser, in as many tabs as a test
 * opens. IndexedDB is fake-indexeddb, requests go to a real server over a real socket. What else a browser gives to a tab is
 * here: storage, channels between tabs, Web Locks, the state of the network, and timers by a clock that only the test moves.
 */
import { afterEach } from 'bun:test'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import * as idb from 'fake-indexeddb'
import { type Answer, makeKey, type makeWorld } from './world'

/** A test gives up after so many milliseconds of the wall clock: only one that fails takes so long. */
const GIVE_UP_MS = 20_000
/** `until` lets so much time of the devices pass after the last sign of the server, in milliseconds. */
const AHEAD_MS = 15_000
/** Nothing is under way after so many turns of the event loop without it: a promise may resolve a turn later. */
const QUIET_TURNS = 3

type World = Awaited<ReturnType<typeof makeWorld>>
type Modules = typeof import('./tab')
/** What becomes of a request: `pass` sends it on. Rejecting leaves it without an answer. */
export type Route = (pass: () => Promise<Response>, sent: { path: string; headers: Headers }) => Promise<Response>
/** A request to the server as another program sends it. Rejects unless it succeeds. */
export type Ask = (method: string, path: string, body?: unknown) => Promise<Answer['body']>
type Opens = () => IDBOpenDBRequest
export type Device = ReturnType<ReturnType<typeof makeDevices>['openDevice']>
export type Tab = Awaited<ReturnType<Device['openTab']>>

/** What the modules take from the browser, in place of what this process has under these names. */
const NAMES = [
  ...['window', 'globalThis', 'document', 'navigator', 'location', 'localStorage', 'fetch', 'Date', 'setTimeout'],
  ...['clearTimeout', 'setInterval', 'addEventListener', 'removeEventListener'],
  ...['BroadcastChannel', 'indexedDB', ...Object.keys(idb).filter((name) => name.startsWith('IDB'))],
]

let bundled: Promise<(...given: unknown[]) => void> | undefined
/** What runs the modules: each call is another tab. */
async function bundle() {
  const entrypoints = [join(import.meta.dir, 'tab.ts')]
  const { outputs } = await Bun.build({ entrypoints, target: 'browser', format: 'cjs' })
  return new Function('module', 'exports', ...NAMES, (await outputs[0]?.text()) ?? '') as Awaited<typeof bundled & {}>
}

export const lost: Route = () => Promise.reject(new TypeError('Failed to fetch'))
/** What the server answers when the requests of the hour are used up. */
export const refuseForHour: Route = async () =>
  new Response(JSON.stringify({ code: 'rate_limit_exceeded', detail: 'The limit of this hour is used up.' }), {
    status: 429,
    headers: { 'Content-Type': 'application/problem+json', 'Retry-After': '2' },
  })
/** The server answers, and its answer is lost. */
export const loseAnswer: Route = (pass) => pass().then(() => Promise.reject(new TypeError('Failed to fetch')))

/** Adds a route for a path, so many times. Returns what removes it. The last one added comes first. */
const router =
  (routes: Route[]) =>
  (path: RegExp, route: Route, times = Number.POSITIVE_INFINITY) => {
    let left = times
    const added: Route = (pass, sent) => (path.test(sent.path) && left-- > 0 ? route(pass, sent) : pass())
    routes.push(added)
    return () => void routes.splice(routes.indexOf(added), 1)
  }

/** Holds the next request to a path before it reaches the server, or its answer. */
export function hold({ route }: { readonly route: ReturnType<typeof router> }, path: RegExp, what?: 'answer') {
  const { promise, resolve } = Promise.withResolvers<void>()
  const held = { isThere: false, release: resolve }
  const wait: Route = async (pass) => {
    const answer = what && (await pass())
    held.isThere = true
    await promise
    return answer ?? pass()
  }
  route(path, wait, 1)
  return held
}

/** The server does what the next request to a path asks for, and no answer nor further request arrives until it is called. */
export function loseAnswers({ route, sendAgain }: Tab, path: RegExp): () => void {
  let isSent = false
  const unroute = route(path, (pass, sent) => {
    const next = isSent ? lost : loseAnswer
    isSent = true
    return next(pass, sent)
  })
  return () => {
    unroute()
    sendAgain()
  }
}

/** As the key page stores keys. */
export function textOfKeys(...kept: readonly string[]): string {
  const made_at = '2026-01-01T00:00:00Z'
  const keys = kept.map((key, place) => ({ key, name: `Key ${place}`, made_at, saved: true }))
  return JSON.stringify({ version: 1, chosen: kept[0] ?? null, recent: kept, keys })
}

/** Makes devices of one server, which share its clock. Each test closes its own at its end. */
export function makeDevices(first: World) {
  let world = first
  let url = world.listen()
  const { clock } = world
  const timers = new Map<number, { at: number; run: () => void; tab: object }>()
  /** What ends each open tab. */
  const open = new Set<() => void>()
  let [ids, busy, signs, seeds] = [0, 0, 0, 0]

  function whileBusy<Value>(work: () => Promise<Value>): Promise<Value> {
    busy += 1
    return work().finally(() => {
      busy -= 1
    })
  }
  /** Does something in a later turn of the event loop. */
  const later = (run: () => void) => void whileBusy(turn).then(run)

  /** Resolves when nothing is under way: no request that was passed on, no transaction, no message. */
  async function settle(): Promise<void> {
    const deadline = performance.now() + GIVE_UP_MS
    for (let quiet = 0; quiet < QUIET_TURNS; quiet = busy > 0 ? 0 : quiet + 1) {
      if (performance.now() > deadline) throw new Error('Something never ends')
      await turn()
    }
  }

  /** Runs the next timer that is due by then; false: there is none. */
  function runTimer(by: number): boolean {
    const [next] = [...timers].sort(([a, one], [b, other]) => one.at - other.at || a - b)
    if (!next || next[1].at > by) return false
    timers.delete(next[0])
    clock.now = Math.max(clock.now, next[1].at)
    next[1].run()
    return true
  }

  /** Lets time pass on all devices. */
  async function pass(ms: number): Promise<void> {
    const end = clock.now + ms
    do await settle()
    while (runTimer(end))
    clock.now = Math.max(clock.now, end)
  }

  /** Lets time pass until what is read is what is wanted, or something; throws what it still is. */
  async function until<Value>(read: () => Value | Promise<Value>, wanted?: Value | ((value: Value) => boolean)) {
    const passes = (value: Value) =>
      wanted instanceof Function ? wanted(value) : wanted === undefined ? Boolean(value) : Bun.deepEquals(value, wanted)
    const deadline = performance.now() + GIVE_UP_MS
    for (let [end, seen] = [clock.now + AHEAD_MS, signs]; ; ) {
      await settle()
      const value = await read()
      if (passes(value)) return value
      if (performance.now() > deadline) throw new Error(`it still is ${JSON.stringify(value)}`)
      if (seen !== signs) [end, seen] = [clock.now + AHEAD_MS, signs]
      runTimer(end)
    }
  }

  function stranger() {
    const key = makeKey(7000 + ++seeds)
    const ask: Ask = async (method, path, body) => {
      const answer = await world.call({ key }, method, `/${path}`, body)
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body
    }
    const listTitles = async (path: string): Promise<string[]> =>
      (await ask('GET', path)).items.map(({ title }: { title: string }) => title).toSorted()
    return { key, ask, listTitles }
  }

  /**
   * A browser that keeps these keys and has chosen the first. An http address of the LAN has no Web Locks. `opens` takes the
   * place of IndexedDB's `open`; null: the browser has no IndexedDB.
   */
  function openDevice(
    kept: readonly string[],
    { hasLocks = true, opens = undefined as Opens | undefined | null } = {},
  ) {
    const factory = new idb.IDBFactory()
    let refusal: DOMException | null = null
    const items: Record<string, string> = {}
    const windows = new Set<EventTarget>()
    const channels = new Set<Channel>()
    /** By name: the first has the lock, the others wait. */
    const locks = new Map<string, { owner: object; grant: () => void }[]>()
    const routes: Route[] = []
    let [isOnline, cut] = [true, new AbortController()]

    class Channel extends EventTarget {
      set onmessage(listener: (event: Event) => void) {
        this.addEventListener('message', listener)
      }
      constructor(
        readonly owner: { isDead: boolean },
        readonly name: string,
      ) {
        super()
        channels.add(this)
      }
      postMessage(message: unknown): void {
        const data = structuredClone(message)
        for (const other of this.owner.isDead ? [] : channels)
          if (other !== this && other.name === this.name)
            later(() => channels.has(other) && other.dispatchEvent(new MessageEvent('message', { data })))
      }
      close = () => channels.delete(this)
    }

    function keepKeys(...kept: readonly string[]): void {
      items['satchel.keys'] = textOfKeys(...kept)
      for (const window of windows) later(() => window.dispatchEvent(new Event('storage')))
    }

    function leave(name: string, entry: object): void {
      const [first, ...others] = locks.get(name) ?? []
      locks.set(
        name,
        [first, ...others].flatMap((each) => (each && each !== entry ? [each] : [])),
      )
      const next = locks.get(name)?.[0]
      if (first === entry && next) later(next.grant)
    }
    const locksOf = (owner: object) => ({
      request(name: string, ...rest: [{ signal: AbortSignal }, () => unknown] | [() => unknown]): Promise<unknown> {
        const [signal, work] = rest.length === 1 ? [undefined, rest[0]] : [rest[0].signal, rest[1]]
        return new Promise((resolve, reject) => {
          const run = async () => work()
          const grant = () =>
            void run()
              .then(resolve, reject)
              .finally(() => leave(name, entry))
          const entry = { owner, grant }
          const queue = [...(locks.get(name) ?? []), entry]
          locks.set(name, queue)
          if (queue[0] === entry) later(grant)
          signal?.addEventListener('abort', () => {
            if (locks.get(name)?.[0] === entry) return
            leave(name, entry)
            reject(signal.reason)
          })
        })
      },
      query: async () => ({ held: [...locks].flatMap(([name, queue]) => (queue.length > 0 ? [{ name }] : [])) }),
    })

    /** Sends a request to the server. What streams is handed on as it comes, all else once it is whole. */
    async function send(path: string, init: RequestInit, end: AbortSignal): Promise<Response> {
      if (!isOnline) throw new TypeError('Failed to fetch')
      const signals = [end, cut.signal, ...(init.signal ? [init.signal] : [])]
      const response = await fetch(url + path, { ...init, signal: AbortSignal.any(signals) })
      const headers = new Headers(response.headers)
      headers.set('Date', new Date(clock.now).toUTCString())
      const counted = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          signs += 1
          controller.enqueue(chunk)
        },
      })
      const isStream = headers.get('Content-Type')?.startsWith('text/event-stream')
      const content = isStream ? (response.body?.pipeThrough(counted) ?? null) : await response.bytes()
      return new Response(response.status === 204 ? null : content, { status: response.status, headers })
    }

    async function openTab() {
      bundled ??= bundle()
      const run = await bundled
      const window = new EventTarget()
      const [end, ownRoutes, sent] = [new AbortController(), [] as Route[], [] as string[]]
      const transactions = new Set<IDBTransaction>()
      const owner = { isDead: false }
      let left = Number.POSITIVE_INFINITY

      /** Ends all that runs in the tab, without notice. Only what is committed is stored. */
      function kill(): void {
        owner.isDead = true
        end.abort()
        for (const tx of transactions) {
          try {
            tx.abort()
          } catch {} // It is committed.
        }
        for (const [id, { tab }] of timers) if (tab === owner) timers.delete(id)
        for (const channel of channels) if (channel.owner === owner) channel.close()
        for (const [name, queue] of locks) for (const each of queue) if (each.owner === owner) leave(name, each)
        windows.delete(window)
        open.delete(kill)
      }

      function track<Request extends IDBRequest>(request: Request): Request {
        const { promise, resolve } = Promise.withResolvers<unknown>()
        whileBusy(() => promise)
        for (const type of ['success', 'error']) request.addEventListener(type, resolve)
        return request
      }
      function watch(db: IDBDatabase): void {
        const begin = db.transaction.bind(db)
        // Before the listeners of the app, which hear nothing more once their tab is gone.
        const mute = (event: Event) => owner.isDead && event.stopImmediatePropagation()
        for (const type of ['success', 'error']) db.addEventListener(type, mute, true)
        db.transaction = (...args) => {
          if (owner.isDead) throw new DOMException('The tab is gone.', 'InvalidStateError')
          if (refusal) throw refusal
          const tx = begin(...args)
          busy += 1
          transactions.add(tx)
          const over = (event: Event) => {
            busy -= 1
            transactions.delete(tx)
            if (event.type === 'complete' && tx.mode === 'readwrite' && --left === 0) kill()
            mute(event)
          }
          for (const type of ['complete', 'abort']) tx.addEventListener(type, over)
          return tx
        }
      }
      const indexedDB = {
        open(name: string, version?: number) {
          if (opens) return opens()
          const request = track(factory.open(name, version))
          request.addEventListener('success', () => watch(request.result))
          return request
        },
        deleteDatabase: (name: string) => track(factory.deleteDatabase(name)),
        databases: () => whileBusy(() => factory.databases()),
      }

      function after(ms: number, run: () => void): number {
        if (!owner.isDead) timers.set(++ids, { at: clock.now + ms, run, tab: owner })
        return ids
      }
      const repeat = (run: () => void, ms: number): number =>
        after(ms, () => {
          repeat(run, ms)
          run()
        })
      const storage = {
        getItem: (name: string) => items[name] ?? null,
        setItem(name: string, value: string) {
          items[name] = value
          for (const other of windows) if (other !== window) later(() => other.dispatchEvent(new Event('storage')))
        },
        removeItem: (name: string) => delete items[name],
      }
      const scope = Object.assign(window, {
        window,
        globalThis: window,
        document: Object.assign(new EventTarget(), { baseURI: `${url}app/`, visibilityState: 'visible' }),
        navigator: {
          locks: hasLocks ? locksOf(owner) : undefined,
          get onLine() {
            return isOnline
          },
        },
        location: { hash: '' },
        localStorage: new Proxy(items, { get: (_, name) => storage[name as keyof typeof storage] }),
        addEventListener: window.addEventListener.bind(window),
        removeEventListener: window.removeEventListener.bind(window),
        setTimeout: (run: (value: unknown) => void, ms: number, value: unknown) => after(ms, () => run(value)),
        clearTimeout: (id: number) => timers.delete(id),
        setInterval: repeat,
        Date: class extends Date {
          constructor(...given: [] | [number]) {
            super(...((given.length === 0 ? [clock.now] : given) as [number]))
          }
          static override now = () => clock.now
        },
        BroadcastChannel: Channel.bind(null, owner),
        ...idb,
        indexedDB: opens === null ? undefined : indexedDB,
        fetch(to: URL, init: RequestInit): Promise<Response> {
          const request = { path: (to.pathname + to.search).slice(1), headers: new Headers(init.headers) }
          const all = [...routes, ...ownRoutes]
          const go = async (place: number): Promise<Response> => {
            const route = all[place]
            if (route) return route(() => go(place - 1), request)
            sent.push(request.path)
            return whileBusy(() => send(request.path, init, end.signal))
          }
          // Nothing more happens in a tab that is gone.
          return new Promise((resolve, reject) => {
            go(all.length - 1).then(
              (answer) => !owner.isDead && resolve(answer),
              (error) => !owner.isDead && reject(error),
            )
          })
        },
      })
      const module = { exports: {} }
      run(module, module.exports, ...NAMES.map((name) => scope[name as keyof typeof scope]))
      const app = module.exports as Modules
      windows.add(window)
      open.add(kill)
      await app.start()
      return {
        app,
        route: router(ownRoutes),
        get workspace() {
          const workspace = app.workspace.peek()
          if (!workspace) throw new Error('No workspace is open')
          return workspace
        },
        /** How many requests to a path were sent on their way to the server. */
        countSent: (path: RegExp) => sent.filter((each) => path.test(each)).length,
        async choose(key: string): Promise<void> {
          app.keys.choose(key)
          await until(() => app.workspace.peek()?.key === key)
        },
        /** Waits until so many changes wait for the server. */
        untilWaiting: (count = 1) =>
          until(() => {
            const { state, waiting } = app.workspace.peek()?.outbox ?? {}
            return state?.peek().is === 'waiting' && waiting?.peek() === count
          }),
        /** As when somebody comes back to the tab. */
        look: () => scope.document.dispatchEvent(new Event('visibilitychange')),
        /** Has the app send what waits. */
        sendAgain: () => window.dispatchEvent(new Event('online')),
        kill,
        /** Kills the tab once it has stored so many things more. */
        killAfter(count: number): void {
          left = count
        },
        isGone: () => owner.isDead,
        close(): void {
          window.dispatchEvent(new Event('pagehide'))
          kill()
        },
      }
    }

    /** What is kept in a table of the workspace of a key; of the resources each one. */
    async function read(table: string, key = kept[0]): Promise<unknown[]> {
      const answer = <Value>(request: IDBRequest<Value>) =>
        new Promise<Value>((resolve, reject) => {
          request.onsuccess = () => resolve(request.result)
          request.onerror = () => reject(request.error)
        })
      const db = await answer(factory.open(`satchel ${key}`))
      const all = await answer(db.transaction(table).objectStore(table).getAll())
      db.close()
      if (table !== 'resources') return all
      return all.flatMap(({ type, json }) =>
        JSON.parse(json).map((resource: { id: string }) => ({ type, id: resource.id, resource })),
      )
    }

    keepKeys(...kept)
    return {
      route: router(routes),
      openTab,
      keepKeys,
      read,
      /** Stores keys as text, of which no tab hears. */
      storeKeys(text: string): void {
        items['satchel.keys'] = text
      },
      /** What the browser keeps, for what another version of the app does with it. */
      storage: factory,
      /** From now on the browser stores nothing more, for this reason. */
      refuseToStore(why: DOMException): void {
        refusal = why
      },
      /** Waits until so many changes are kept that the server has not confirmed. */
      untilKept: (count: number) => until(async () => (await read('writes')).length, count),
      setOnline(next: boolean): void {
        isOnline = next
        if (next) cut = new AbortController()
        else cut.abort()
        for (const window of windows) window.dispatchEvent(new Event(next ? 'online' : 'offline'))
      },
      listDatabases: async () => (await factory.databases()).map(({ name }) => name),
    }
  }

  const closeAll = () => {
    for (const kill of open) kill()
  }
  afterEach(async () => {
    closeAll()
    await settle()
  })

  /** Puts another server at the address, as after a restart; its clock goes on with that of the devices. */
  function replaceServer(next: World): void {
    world = next
    url = next.listen()
  }

  return { url, clock, closeAll, openDevice, stranger, until, pass, replaceServer }
}
