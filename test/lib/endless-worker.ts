import { serveRequests } from '../../src/lib/limited-worker'

/** Answers each request with itself, but never ends one that is called endless. */
serveRequests<string>((request) => {
  while (request === 'endless');
  return request
})
