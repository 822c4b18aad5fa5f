/** The whole style, inline and allowed by its hash, so that nothing else has to be loaded. */
export const STYLE = `
:root{color-scheme:light dark;--text:light-dark(#1c2330,#e4e8ef);--soft:light-dark(#566076,#9aa6bb);--back:light-dark(#fff,#12161e);
--raised:light-dark(#f5f7fa,#1b212c);--line:light-dark(#dde2ea,#2d3644);--accent:light-dark(#0b57c2,#7db2ff)}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;font:16px/1.55 system-ui,sans-serif;color:var(--text);background:var(--back)}
a{color:var(--accent)}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.875em}
code{overflow-wrap:anywhere}
pre{background:var(--raised);border:1px solid var(--line);border-radius:6px;padding:.75rem 1rem;overflow-x:auto;white-space:pre}
pre code{overflow-wrap:normal}
small{color:var(--soft);font-size:.85em;font-weight:400}
.skip{position:absolute;left:-999px}.skip:focus{left:1rem;top:1rem}
header{display:flex;flex-wrap:wrap;gap:.25rem 2rem;align-items:baseline;padding:1rem 1.5rem;border-bottom:1px solid var(--line)}
header .name{font-size:1.2rem;font-weight:650}header .name a{color:inherit;text-decoration:none}header p{margin:0;display:flex;flex-wrap:wrap;gap:0 1rem}
.columns{display:grid;grid-template-columns:18rem minmax(0,1fr)}
nav{position:sticky;top:0;align-self:start;max-height:100vh;overflow-y:auto;padding:1rem 1.25rem;border-right:1px solid var(--line);font-size:.9rem}
nav p{margin:.9rem 0 .2rem;font-weight:600}
nav ul{list-style:none;margin:0 0 .5rem;padding:0}nav ul ul{padding-left:.75rem}nav [aria-current]{font-weight:650}nav li{padding:.12rem 0;overflow-wrap:anywhere}nav a{text-decoration:none}
main{padding:1rem 2rem 4rem;max-width:70rem}
h1{font-size:1.5rem;margin:.5rem 0 1rem}h2{font-size:1.3rem;margin:2rem 0 .5rem}h3,.operation h2,summary h2{font-size:1.05rem;margin:1.5rem 0 .25rem}.operation h3{font-size:.95rem;margin:1rem 0 .25rem}
.operation{border-top:1px solid var(--line);padding-bottom:1rem;margin-top:1rem}
.operation:target,.schema:target{outline:2px solid var(--accent);outline-offset:.75rem;border-radius:2px}
.summary{font-weight:600;margin:.25rem 0}
table{border-collapse:collapse;width:100%;margin:.5rem 0;font-size:.9rem;display:block;overflow-x:auto}
th,td{text-align:left;vertical-align:top;padding:.35rem .9rem .35rem 0;border-bottom:1px solid var(--line)}
th{font-weight:600}th,td{overflow-wrap:anywhere}th code{white-space:nowrap}td ul{margin:0;padding-left:1rem}td:empty{padding:0}
.method{display:inline-block;min-width:3.6em;font:600 .72rem/1.5 ui-monospace,Menlo,monospace;text-align:center;border-radius:4px;padding:0 .4em;color:#fff;background:#5b6474}
.get{background:#0b5cad}.post{background:#18743c}.put{background:#8a5a00}.patch{background:#6b4bb8}.delete{background:#b3261e}.event{background:#0f6b6b}
[hidden]{display:none!important}
input,textarea,button{font:inherit;color:inherit;background:var(--back);border:1px solid var(--soft);border-radius:5px;padding:.3rem .6rem}
textarea{width:100%;font-family:ui-monospace,Menlo,monospace;font-size:.875em}button{cursor:pointer;background:var(--raised)}
.search{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin-bottom:1.5rem}.search input{flex:1 1 14rem;max-width:26rem}
.results{list-style:none;padding:0}.results li{overflow-wrap:anywhere;padding:.4rem 0;border-bottom:1px solid var(--line)}
.credential{background:var(--raised);border:1px solid var(--line);border-radius:6px;padding:.1rem 1rem}
details{margin:.75rem 0}summary{cursor:pointer;font-weight:600;color:var(--accent)}summary h2{display:inline}.schema{padding-left:1rem}.try form{border-left:3px solid var(--line);padding-left:1rem}
.try p{margin:.4rem 0}.try label{display:block;font-size:.9rem}.try input{width:100%;max-width:32rem}.try pre{max-height:28rem;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere}
@media(max-width:60rem){.columns{grid-template-columns:14rem minmax(0,1fr)}main{padding:1rem 1.25rem 3rem}}
@media(max-width:48rem){.columns{display:block}nav{position:static;max-height:none;border-right:0;border-bottom:1px solid var(--line)}main{padding:1rem}th code{white-space:normal}table{display:table}th,td{padding-right:.5rem}}
`;
