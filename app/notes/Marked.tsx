import { partText, type Range } from './find-notes'

/** A text with what was searched for marked. */
export function Marked({ text, ranges }: { text: string; ranges: readonly Range[] }) {
  return (
    <>
      {partText(text, ranges).map(({ text, isMarked }, index) => (isMarked ? <mark key={index}>{text}</mark> : text))}
    </>
  )
}
