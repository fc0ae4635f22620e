/**
 * The look of CodeMirror and of the titles in its shadow root. The variables are those of public/style.css, which
 * inherit; editor.css gives the stand-in the same look, so that nothing moves.
 */
export const THEME = {
  '&': {
    position: 'relative',
    minHeight: '12rem',
    border: '1px solid var(--edge)',
    borderRadius: '0.375rem',
    background: 'var(--raised)',
    color: 'var(--ink)',
  },
  '&.cm-focused': { outline: '2px solid var(--green)', outlineOffset: '2px' },
  '.cm-scroller': { minHeight: 'inherit', font: 'inherit', lineHeight: '1.6' },
  '.cm-content': { maxWidth: 'none', padding: '0.75rem 0', lineHeight: 'inherit', caretColor: 'var(--green)' },
  '.cm-line': { padding: '0 1rem', unicodeBidi: 'plaintext' },
  '.cm-heading': { paddingBlockStart: '0.5rem', fontFamily: 'var(--serif)', lineHeight: '1.3' },
  '.cm-h1': { fontSize: '1.75rem' },
  '.cm-h2': { fontSize: '1.4375rem' },
  '.cm-h3': { fontSize: '1.1875rem' },
  '.cm-link': { textDecoration: 'underline', textDecorationColor: 'var(--green)', textUnderlineOffset: '0.2em' },
  '.cm-block': { background: 'var(--sunken)', font: '0.875rem / 1.55 var(--mono)' },
  // Front matter reads as a heading to CodeMirror.
  '.cm-block span': { fontWeight: 'normal' },
  '.cm-quote': { margin: '0 1rem', borderInlineStart: '2px solid var(--kind, var(--line))', color: 'var(--quiet)' },
  '.cm-quote.md-callout': { margin: '0 1rem', color: 'inherit' },
  '.cm-quote.cm-callout-title': { color: 'var(--kind)', fontWeight: '600' },
  '.cm-rule': { margin: '0 1rem', background: 'linear-gradient(var(--edge), var(--edge)) center / 100% 1px no-repeat' },
  // Lines of a formula, drawn in the first of them.
  '.cm-gone': { height: '0', overflow: 'hidden' },
  '.cm-drawn, .cm-drawn > .markdown, .cm-drawn > .markdown > *': { display: 'inline' },
  '.editor-titles': {
    position: 'absolute',
    zIndex: '1',
    maxWidth: 'min(24rem, 100%)',
    padding: '0.25rem',
    border: '1px solid var(--edge)',
    borderRadius: '0.375rem',
    background: 'var(--raised)',
  },
  '.editor-titles [role="option"]': {
    padding: '0.125rem 0.75rem',
    borderRadius: '0.25rem',
    cursor: 'pointer',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
  },
  '.editor-titles [aria-selected="true"]': {
    background: 'var(--wash)',
    color: 'var(--green)',
    outline: '1px solid transparent',
    outlineOffset: '-1px',
  },
}
