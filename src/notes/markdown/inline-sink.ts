/**
 * What the inline pass finds in one block's text, in order of where each thing ends. Offsets are UTF-16 into that text.
 * A sink overrides what it has a use for.
 */
export class InlineSink {
  /** Whether emphasis and entities are wanted too; the structure of a note has no use for them. */
  readonly plain: boolean = false
  /** Labels that link definitions explain; null takes every `[text][label]` for a link. */
  readonly references: ReadonlySet<string> | null = null
  code(_start: number, _end: number, _ticks: number): void {}
  comment(_start: number, _end: number): void {}
  /** `%%` without a second one on its line. */
  loneComment(_at: number): void {}
  wikiLink(_start: number, _end: number, _text: string): void {}
  tag(_start: number, _end: number, _text: string): void {}
  /** A link or image: its text stands between the brackets `open` and `close`. */
  link(_start: number, _open: number, _close: number, _end: number): void {}
  html(_start: number, _end: number, _text: string): void {}
  autolink(_start: number, _end: number): void {}
  escape(_at: number): void {}
  emphasis(_code: number, _start: number, _end: number, _canOpen: boolean, _canClose: boolean): void {}
  entity(_start: number, _end: number, _value: string): void {}
}
