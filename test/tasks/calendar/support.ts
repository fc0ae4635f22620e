import { type As, MANY_CALLERS, makeKey, makeWorld, type Shown } from '../../support/world'

export type { Shown }

let keys = 0

/** The app without limits of requests, over a real socket, and callers with workspaces of their own. */
export async function makeCalendarWorld(settings: Readonly<Record<string, string>> = {}) {
  const world = await makeWorld({ settings: { ...MANY_CALLERS, ...settings } })
  const base = world.listen()

  function stranger(as: As = { key: makeKey(++keys) }) {
    const call = (method: string, path: string, body?: unknown, headers = {}) =>
      world.call(as, method, path, body, headers)
    return {
      as,
      call,
      /** Sends a calendar file. */
      import: (file: string | Uint8Array<ArrayBuffer>, query = '', headers = {}) => sendFile(as, file, query, headers),
      export: async (query = ''): Promise<string> => (await call('GET', `/api/tasks/export${query}`)).body,
      /** Every living task by its title, whatever its status. */
      async tasks(): Promise<Shown[]> {
        const { items } = (await call('GET', '/api/tasks/export?format=json')).body
        return items.toSorted((a: Shown, b: Shown) => (a.title < b.title ? -1 : 1))
      },
      make: async (task: object): Promise<Shown> => (await call('POST', '/api/tasks', task)).body,
      usage: async (): Promise<Shown> => (await call('GET', '/api/usage')).body.workspace,
    }
  }

  async function sendFile(as: As, file: string | Uint8Array<ArrayBuffer>, query: string, headers: object) {
    const key: Record<string, string> = as.key === undefined ? {} : { 'X-API-Key': as.key }
    const response = await fetch(`${base}api/tasks/import${query}`, {
      method: 'POST',
      headers: { ...key, 'Content-Type': 'text/calendar', ...headers },
      body: file,
    })
    return { status: response.status, headers: response.headers, body: (await response.json()) as Shown }
  }

  return { ...world, base, stranger }
}

export type Caller = ReturnType<Awaited<ReturnType<typeof makeCalendarWorld>>['stranger']>

/** A calendar of to-dos, each given by its lines. */
export function calendar(...todos: readonly (readonly string[])[]): string {
  const items = todos.flatMap((lines) => ['BEGIN:VTODO', ...lines, 'END:VTODO'])
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', ...items, 'END:VCALENDAR', ''].join('\r\n')
}

/** A to-do of a UID and further lines; its title is its UID unless they say else. */
export function todo(uid: string, ...lines: string[]): string[] {
  return [`UID:${uid}`, ...(lines.some((line) => line.startsWith('SUMMARY')) ? [] : [`SUMMARY:${uid}`]), ...lines]
}

export const totals = (sums: object) => ({ created: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0, ...sums })

/** The codes of the warnings of each item. */
export const codes = ({ body }: { body: Shown }): string[] =>
  body.items.map(({ warnings }: Shown) => warnings.map(({ code }: Shown) => code).join())

export const actions = ({ body }: { body: Shown }): string[] => body.items.map(({ action }: Shown) => action)

/** What a report tells of the file, without the ids, which a dry run has not. */
export const plain = ({ body: { format, totals, resources, warnings, ignored, items } }: { body: Shown }) => ({
  ...{ format, totals, resources, warnings, ignored },
  items: items.map((item: Shown) => ({ ...item, id: null })),
})
