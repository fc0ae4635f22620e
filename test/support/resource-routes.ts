import { type Asking, get, NOBODY, post, queries, type Route, route } from './asking'
import type { Visitor } from './visitor'

export const idOf = (path: string) => path.split('/').at(-1)

type Step = 'list' | 'create' | 'read' | 'patch' | 'delete' | 'restore'

interface Kind {
  /** The path of the list. */
  readonly base: string
  /** The routes that it has, of those that any resource may have. */
  readonly steps: readonly Step[]
  /** Makes one. Returns its path, or the path of an unknown id where none can be made. */
  readonly make: (visitor: Visitor) => Promise<string>
  /** What makes one, for `create`. Each is another. */
  readonly body?: (visitor: Visitor) => Promise<object> | object
  /** What changes one, for `patch`. */
  readonly change?: () => object
  /** Further requests, by the status of their answers. */
  readonly others?: Partial<Readonly<Record<Step, Readonly<Record<number, readonly Asking[]>>>>>
}

/** Makes a request about a new resource. */
export const on =
  (make: Kind['make']) =>
  (method: string, body?: unknown, headers = {}, rest = ''): Asking =>
  async (visitor) => ({ method, path: (await make(visitor)) + rest, body, headers })

/** Makes a request about a resource in the trash. */
export const inTrash =
  (make: Kind['make'], method: string, body?: unknown, rest = ''): Asking =>
  async (visitor) => {
    const path = await make(visitor)
    await visitor.send({ method: 'DELETE', path })
    return { method, path: path + rest, body }
  }

/** Makes a resource. Returns its path, or the path of an unknown id if it was refused. */
export async function made(visitor: Visitor, base: string, body: object): Promise<string> {
  const { headers } = await visitor.send({ method: 'POST', path: base, body })
  return headers.get('Location') ?? `${base}/${NOBODY}`
}

/** The routes of a resource, with the requests that any resource is tried with. */
export function resourceRoutes({ base, steps, make, body = () => ({}), change = () => ({}), others = {} }: Kind) {
  const ask = on(make)
  const hasTrash = steps.includes('restore')
  const routes: Record<Step, [string, Route]> = {
    list: [`GET ${base}`, route(200, get(base), hasTrash ? { 400: queries(base, 'trashed') } : {})],
    create: [
      `POST ${base}`,
      route(201, async (visitor) => ({ method: 'POST', path: base, body: await body(visitor) }), {
        409: [async (visitor) => post(base, { ...(await body(visitor)), id: idOf(await make(visitor)) })(visitor)],
      }),
    ],
    read: [`GET ${base}/:id`, route(200, ask('GET'))],
    patch: [
      `PATCH ${base}/:id`,
      route(
        200,
        async (visitor) => ask('PATCH', change())(visitor),
        hasTrash ? { 409: [inTrash(make, 'PATCH', change())] } : {},
      ),
    ],
    delete: [`DELETE ${base}/:id`, route(204, ask('DELETE'))],
    restore: [`POST ${base}/:id/restore`, route(200, ask('POST', undefined, {}, '/restore'))],
  }
  return Object.fromEntries(
    steps.map((step) => {
      const [name, route] = routes[step]
      const merged: Record<number, readonly Asking[]> = { ...route.others }
      for (const [status, asked] of Object.entries(others[step] ?? {}))
        merged[Number(status)] = [...(merged[Number(status)] ?? []), ...asked]
      return [name, { ...route, others: merged }]
    }),
  )
}

export const ALL_STEPS = ['list', 'create', 'read', 'patch', 'delete', 'restore'] as const
