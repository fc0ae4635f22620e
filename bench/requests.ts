import type { Server } from './server'

/** A key in the right format; the key page's first example. */
export const KEY = 'satchel_Qm7vX2pLr9TzK4wNc8HyB3sJd6FgA13finxh'

/** A note as people write them. */
export const NOTE = {
  title: 'Trip to Lisbon',
  body: '# Plan\n\n- [ ] book the train to #lisbon\n- [x] ask Ana about the room\n\nThe room is near the river; breakfast is at eight.\n',
  tags: ['travel', 'family'],
}

/** The text of a GET request with the key. @param more further lines of its head, each with its end */
export function get(path: string, more = '') {
  return ({ port }: Server) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-API-Key: ${KEY}\r\n${more}\r\n`
}

/** The text of a POST request of JSON with the key. */
export function post(path: string, body: unknown) {
  const json = JSON.stringify(body)
  const length = Buffer.byteLength(json)
  return ({ port }: Server) =>
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-API-Key: ${KEY}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${json}`
}
