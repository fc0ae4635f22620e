/** Code spans of a line: what stands in them is never markup, nor a card. */

/** The text with each sign of a code span, ticks included, replaced by an `x`: places stay, marks vanish. */
export function withoutCode(text: string): string {
  let from = 0
  let result = ''
  for (const [start, end] of codeSpans(text)) {
    result += text.slice(from, start) + 'x'.repeat(end - start)
    from = end
  }
  return from === 0 ? text : result + text.slice(from)
}

/** Start and end of each code span, ticks included. A run of ticks ends with the next one of the same length. */
export function codeSpans(text: string): [start: number, end: number][] {
  if (!text.includes('`')) return []
  const runs = [...text.matchAll(/`+/g)].map(({ index, 0: ticks }) => ({ start: index, length: ticks.length }))
  const nextOfLength = new Map<number, number>()
  const closing = new Array<number>(runs.length).fill(-1)
  for (let i = runs.length - 1; i >= 0; i--) {
    const length = openingLength(text, runs[i])
    closing[i] = nextOfLength.get(length) ?? -1
    nextOfLength.set(runs[i]?.length ?? 0, i)
  }
  const spans: [number, number][] = []
  for (let i = 0; i < runs.length; i++) {
    const [open, close] = [runs[i], runs[closing[i] ?? -1]]
    if (!open || !close) continue
    spans.push([open.start + open.length - openingLength(text, open), close.start + close.length])
    i = closing[i] ?? i
  }
  return spans
}

/** A backslash takes the first tick away from what opens, not from what closes. */
function openingLength(text: string, run: { start: number; length: number } | undefined): number {
  if (!run) return 0
  let at = run.start
  while (text[at - 1] === '\\') at -= 1
  return run.length - ((run.start - at) % 2)
}
