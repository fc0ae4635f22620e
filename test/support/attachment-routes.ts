/** What to ask of the routes of attachments so that they give each answer that they can. */
import { type Asking, get, keyReused, NO_JSON, NO_OBJECT, type Route } from './asking'
import { NOBODY, on, resourceRoutes } from './resource-routes'
import type { Visitor } from './visitor'

const PATH = '/api/notes/attachments'

let names = 0
/** A name that nothing has yet: visitors with the same key share a workspace. */
const freshName = () => `file${++names}.txt`

const add =
  (query = `?name=${freshName()}`, body: unknown = 'bytes', headers = {}): Asking =>
  () => ({ method: 'POST', path: PATH + query, body, headers })

async function makeAttachment(visitor: Visitor): Promise<string> {
  const made = await visitor.send({ method: 'POST', path: `${PATH}?name=${freshName()}`, body: 'bytes' })
  return made.headers.get('Location') ?? `${PATH}/${NOBODY}`
}

const onAttachment = on(makeAttachment)

/** One is there by this name. */
const takenName = async (visitor: Visitor): Promise<string> => {
  const name = freshName()
  await visitor.send({ method: 'POST', path: `${PATH}?name=${name}`, body: 'bytes' })
  return name
}

export const ATTACHMENT_ROUTES: Readonly<Record<string, Route>> = {
  ...resourceRoutes({
    base: PATH,
    steps: ['list', 'read', 'patch', 'delete'],
    make: makeAttachment,
    change: () => ({ name: freshName() }),
    others: {
      read: {
        206: [onAttachment('GET', undefined, { Range: 'bytes=1-2' })],
        404: [get(`${PATH}/${'A'.repeat(70)}`)],
        416: [onAttachment('GET', undefined, { Range: 'bytes=9-' })],
      },
      patch: {
        400: [...NO_JSON, ...NO_OBJECT, { name: 'a.md' }, { folder: '..' }].map((body) => onAttachment('PATCH', body)),
        409: [async (visitor) => onAttachment('PATCH', { name: await takenName(visitor) })(visitor)],
      },
    },
  }),
  [`POST ${PATH}`]: {
    served: () => ({ method: 'POST', path: `${PATH}?name=${freshName()}`, body: 'bytes' }),
    status: 201,
    others: {
      400: [add(''), add('?name=a.md'), add('?name=a&folder=..'), add('?name=a', ''), add('?name=a&colour=red')],
      409: [
        async (visitor) => ({ method: 'POST', path: `${PATH}?name=${await takenName(visitor)}`, body: 'bytes' }),
        keyReused(add('?name=twice.txt'), 'other bytes'),
      ],
      413: [add('?name=large', new Uint8Array(256 * 1024 + 1))],
      415: [
        add('?name=packed', 'x', { 'Content-Encoding': 'gzip' }),
        add('?name=form', 'x', { 'Content-Type': 'multipart/form-data' }),
      ],
    },
  },
}
