/** A strict parser for the part of RFC 9651 that the limit headers use: a string with integer parameters. */

interface Item {
  name: string
  params: Record<string, number>
}

/** @throws Error when `text` is not such an item */
function parseItem(text: string): Item {
  // sf-string without escapes: the names of policies have none.
  const match = /^"([\x20-\x21\x23-\x5b\x5d-\x7e]*)"((?:; *[a-z*][a-z0-9_.*-]*=-?[0-9]{1,15})*)$/.exec(text)
  if (!match) throw new Error(`not an item: ${text}`)
  const [, name = '', rest = ''] = match
  const params: Record<string, number> = {}
  for (const pair of rest.split(';').slice(1)) {
    const [key = '', value = ''] = pair.trim().split('=')
    if (key in params) throw new Error(`twice: ${key}`)
    params[key] = Number(value)
  }
  return { name, params }
}

/** Checks the limit headers of an answer against each other. */
export function checkLimitHeaders(response: Pick<Response, 'status' | 'headers'>): void {
  const tier = response.headers.get('X-Tier') ?? ''
  const limit = response.headers.get('X-RateLimit-Limit') ?? ''
  const remaining = response.headers.get('X-RateLimit-Remaining') ?? ''
  if (!/^(free|api)$/.test(tier) || !/^\d+$/.test(limit) || !/^\d+$/.test(remaining)) {
    throw new Error(`limit headers: ${JSON.stringify({ status: response.status, tier, limit, remaining })}`)
  }
  const policy = parseItem(response.headers.get('RateLimit-Policy') ?? '')
  const level = parseItem(response.headers.get('RateLimit') ?? '')
  const { t = 0 } = level.params
  const own = policy.params.q === Number(limit) && policy.params.w === 3600 && level.params.r === Number(remaining)
  const after = response.headers.get('Retry-After')
  const waits = response.status === 429 ? after === String(t) : after === null
  if (policy.name !== tier || level.name !== tier || !own || t < 1 || t > 10_800 || !waits) {
    throw new Error(`limit headers disagree: ${response.status} ${JSON.stringify({ policy, level, after })}`)
  }
}
