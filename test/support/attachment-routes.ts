/** What to ask of the routes of attachments so that they give each answer that they can. */
import { type Asking, BARE, FORM, get, keyReused, NO_JSON, NO_OBJECT, type Route, STALE } from './asking'

const PATH = '/api/notes/attachments'
const NOBODY = `${PATH}/01890000-0000-7000-8000-00000000ffff`

let names = 0
/** A name that nothing has yet: visitors with the same key share a workspace. */
const freshName = () => `file${++names}.txt`

const add =
  (query = `?name=${freshName()}`, body: unknown = 'bytes', headers = {}): Asking =>
  () => ({ method: 'POST', path: PATH + query, body, headers })

/** Asks for something of an attachment that is there; where none can be made, of one nobody has. */
const onAttachment =
  (method: string, body?: unknown, headers = {}): Asking =>
  async (visitor) => {
    const made = await visitor.send({ method: 'POST', path: `${PATH}?name=${freshName()}`, body: 'bytes' })
    return { method, path: made.headers.get('Location') ?? NOBODY, body, headers }
  }

const onNobody =
  (method: string, body?: unknown): Asking =>
  () => ({ method, path: NOBODY, body })

/** One is there by this name. */
const takenName = async (visitor: Parameters<Asking>[0]): Promise<string> => {
  const name = freshName()
  await visitor.send({ method: 'POST', path: `${PATH}?name=${name}`, body: 'bytes' })
  return name
}

export const ATTACHMENT_ROUTES: Readonly<Record<string, Route>> = {
  [`GET ${PATH}`]: {
    served: get(PATH),
    status: 200,
    others: { 400: ['limit=0', 'cursor=e30', 'colour=red'].map((query) => get(`${PATH}?${query}`)) },
  },
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
  [`GET ${PATH}/:id`]: {
    served: onAttachment('GET'),
    status: 200,
    others: {
      206: [onAttachment('GET', undefined, { Range: 'bytes=1-2' })],
      304: [onAttachment('GET', undefined, { 'If-None-Match': '*' })],
      400: [get(`${PATH}/x`)],
      404: [onNobody('GET'), get(`${PATH}/${'A'.repeat(70)}`)],
      416: [onAttachment('GET', undefined, { Range: 'bytes=9-' })],
    },
  },
  [`PATCH ${PATH}/:id`]: {
    served: onAttachment('PATCH', { name: 'n' }),
    status: 200,
    others: {
      400: [
        ...[...NO_JSON, ...NO_OBJECT, { name: 'a.md' }, { folder: '..' }, { colour: 'red' }].map((body) =>
          onAttachment('PATCH', body),
        ),
        onAttachment('PATCH', {}, BARE),
      ],
      404: [onNobody('PATCH', {})],
      409: [
        async (visitor) => {
          const name = await takenName(visitor)
          return onAttachment('PATCH', { name })(visitor)
        },
      ],
      412: [onAttachment('PATCH', { name: 'n' }, STALE)],
      413: [onAttachment('PATCH', JSON.stringify({ name: 'x'.repeat(2 * 1024 * 1024) }))],
      415: [onAttachment('PATCH', 'name=n', FORM)],
    },
  },
  [`DELETE ${PATH}/:id`]: {
    served: onAttachment('DELETE'),
    status: 204,
    others: {
      400: [onAttachment('DELETE', undefined, BARE)],
      404: [onNobody('DELETE')],
      412: [onAttachment('DELETE', undefined, STALE)],
    },
  },
}
