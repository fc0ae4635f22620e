/** A strict parser for the part of RFC 9651 that the limit headers use: lists of strings with integer parameters. */

export interface Item {
  name: string
  params: Record<string, number>
}

/** @throws Error when `text` is not such a list */
export function parseList(text: string): Item[] {
  return text.split(/ *, */).map(parseItem)
}

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

/** Checks the limit headers of an answer against each other, and hands back the items of RateLimit. */
export function checkLimitHeaders(response: Response): Item[] {
  const tier = response.headers.get('X-Tier') ?? ''
  const limit = response.headers.get('X-RateLimit-Limit') ?? ''
  const remaining = response.headers.get('X-RateLimit-Remaining') ?? ''
  if (!/^(free|api)$/.test(tier) || !/^\d+$/.test(limit) || !/^\d+$/.test(remaining)) {
    throw new Error(`limit headers: ${JSON.stringify({ status: response.status, tier, limit, remaining })}`)
  }
  const policies = parseList(response.headers.get('RateLimit-Policy') ?? '')
  const levels = parseList(response.headers.get('RateLimit') ?? '')
  const same = policies.length === levels.length && policies.every((p, i) => p.name === levels[i]?.name)
  const own = policies[0]?.params.q === Number(limit) && levels[0]?.params.r === Number(remaining)
  const times = levels.every(({ params: { t = 0 } }) => t >= 1 && t <= 10_800)
  const windows = policies.every(({ params: { w = 0 } }) => w === 3600 || w === 86400)
  const after = response.headers.get('Retry-After')
  const waits = response.status === 429 ? after === String(levels[0]?.params.t) : after === null
  if (policies[0]?.name !== tier || !same || !own || !times || !windows || !waits) {
    throw new Error(`limit headers disagree: ${response.status} ${JSON.stringify({ policies, levels, after })}`)
  }
  return levels
}
