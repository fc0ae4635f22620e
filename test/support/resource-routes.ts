import { type Asking, BARE, FORM, get, keyReused, LARGE, NO_JSON, NO_OBJECT, post, type Route, STALE } from './asking'
import type { Visitor } from './visitor'

export const NOBODY = '01890000-0000-7000-8000-00000000ffff'
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
  const nobody = (method: string, rest = '', sent?: object): Asking => {
    return () => ({ method, path: `${base}/${NOBODY}${rest}`, body: sent })
  }
  const create: Asking = async (visitor) => ({ method: 'POST', path: base, body: await body(visitor) })
  const patch = (sent: unknown, headers = {}) => ask('PATCH', sent, headers)
  const drop = (rest: string, headers = {}) => ask('DELETE', undefined, headers, rest)
  const restore = (headers = {}) => ask('POST', undefined, headers, '/restore')
  const erased = hasTrash ? ['', '?permanent=true'] : ['']
  const routes: Record<Step, [string, Route]> = {
    list: [
      `GET ${base}`,
      {
        served: get(base),
        status: 200,
        others: {
          400: ['limit=0', 'cursor=e30', 'colour=red', ...(hasTrash ? ['trashed'] : [])].map((query) =>
            get(`${base}?${query}`),
          ),
        },
      },
    ],
    create: [
      `POST ${base}`,
      {
        served: create,
        status: 201,
        others: {
          400: [...NO_JSON, ...NO_OBJECT, { colour: 'red' }].map((sent) => post(base, sent)),
          409: [
            async (visitor) => post(base, { ...(await body(visitor)), id: idOf(await make(visitor)) })(visitor),
            async (visitor) => keyReused(create, await body(visitor))(visitor),
          ],
          413: [post(base, LARGE)],
          415: [post(base, 'name=x', FORM)],
        },
      },
    ],
    read: [
      `GET ${base}/:id`,
      {
        served: ask('GET'),
        status: 200,
        others: {
          304: [ask('GET', undefined, { 'If-None-Match': '*' })],
          400: [get(`${base}/nonsense`), ask('GET', undefined, { 'If-None-Match': 'bare' })],
          404: [nobody('GET')],
        },
      },
    ],
    patch: [
      `PATCH ${base}/:id`,
      {
        served: async (visitor) => patch(change())(visitor),
        status: 200,
        others: {
          400: [patch('{'), patch({ colour: 'red' }), patch({}, BARE)],
          404: [nobody('PATCH', '', {})],
          ...(hasTrash ? { 409: [inTrash(make, 'PATCH', change())] } : {}),
          412: [patch(change(), STALE)],
          413: [patch(LARGE)],
          415: [patch('name=x', FORM)],
        },
      },
    ],
    delete: [
      `DELETE ${base}/:id`,
      {
        served: drop(''),
        status: 204,
        others: {
          400: [drop('?permanent=5'), drop('', BARE)],
          404: erased.map((query) => nobody('DELETE', query)),
          412: erased.map((query) => drop(query, STALE)),
        },
      },
    ],
    restore: [
      `POST ${base}/:id/restore`,
      {
        served: restore(),
        status: 200,
        others: {
          400: [restore(BARE)],
          404: [nobody('POST', '/restore')],
          409: [keyReused(restore(), {})],
          412: [restore(STALE)],
        },
      },
    ],
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
