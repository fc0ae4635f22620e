import { expect, test } from 'bun:test'
import { readClientConfig } from '../../src/config'

test.each([
  [{}, 'http://127.0.0.1:3000'],
  [{ HOST: '0.0.0.0', PORT: '80' }, 'http://127.0.0.1:80'],
  [{ HOST: '::' }, 'http://[::1]:3000'],
  [{ HOST: '::1', PORT: ' 1 ' }, 'http://[::1]:1'],
  [{ HOST: '192.0.2.1' }, 'http://192.0.2.1:3000'],
  [{ HOST: 'satchel.example' }, 'http://satchel.example:3000'],
])('a client command with %j asks %s', (environment, url) => {
  expect(readClientConfig(environment).url).toBe(url)
})
