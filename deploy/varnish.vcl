vcl 4.1;

# Dropleaf behind Varnish 7.0 or newer: keeps public raw pages (/p/{slug}/raw) until their drop is purged, and passes
# everything else on. Run as it is:
#
#   EDGE_PURGE_TOKEN=… varnishd -a :80 -f /path/to/varnish.vcl -s malloc,1g
#
# and give every process of Dropleaf
#
#   EDGE_PURGER=varnish  EDGE_PURGE_URL=http://varnish-1:80,http://varnish-2:80  EDGE_PURGE_TOKEN=…  TRUST_PROXY=1
#
# What to change here: the backend, and without a token the addresses that may purge. No module is needed but std, and no
# parameter (`-p`): http_gzip_support may be on or off, see vcl_hash.

import std;

# Where Dropleaf listens. For several web processes on several machines declare each, and choose one in vcl_recv with a
# director (import directors), or put the name of a load balancer here.
backend default {
  .host = "127.0.0.1";
  .port = "3000";
  .connect_timeout = 2s;
  # A request may take REQUEST_SECONDS (60) to arrive, and its answer ANSWER_MS more.
  .first_byte_timeout = 75s;
  .between_bytes_timeout = 15s;
}

# Who may purge while EDGE_PURGE_TOKEN is not set in Varnish's own environment. With a token only the token counts. Set one
# where something on this machine hands requests on without saying whose they are (a TLS terminator in TCP mode).
acl purgers {
  "127.0.0.1";
  "::1";
}

sub vcl_recv {
  unset req.http.X-Form;

  if (req.method == "PURGE") {
    call purge_tag;
  }

  # The viewer counts views and knows who has entered a passcode; the API is nobody's to keep.
  if (req.url !~ "^/p/[A-Za-z0-9_-]{1,64}/raw(\?|$)" || (req.method != "GET" && req.method != "HEAD")) {
    return (pass);
  }

  # The key is the path, the inner id (id), the version (v) and the grant (g). The origin is asked for exactly that, so
  # nothing else that a client sends can change what others get. Of a parameter that is there twice the first counts, as
  # at the origin.
  set req.http.X-Query = "&" + regsub(req.url, "^[^?]*\??", "");
  set req.http.X-Key = "";
  if (req.http.X-Query ~ "&id=") {
    set req.http.X-Key = req.http.X-Key + "&id=" + regsub(req.http.X-Query, "^.*?&id=([^&]*).*$", "\1");
  }
  if (req.http.X-Query ~ "&v=") {
    set req.http.X-Key = req.http.X-Key + "&v=" + regsub(req.http.X-Query, "^.*?&v=([^&]*).*$", "\1");
  }
  if (req.http.X-Query ~ "&g=") {
    set req.http.X-Key = req.http.X-Key + "&g=" + regsub(req.http.X-Query, "^.*?&g=([^&]*).*$", "\1");
  }
  set req.url = regsub(req.url, "\?.*$", "") + regsub(req.http.X-Key, "^&", "?");
  unset req.http.X-Query;
  unset req.http.X-Key;

  # Three forms of each page are kept, whatever browsers write: brotli, gzip, identity. q=0 refuses one.
  if (req.http.Accept-Encoding ~ "(?i)(^|,)\s*br\s*(;\s*q=(1(\.0*)?|0?\.\d*[1-9]\d*)\s*)?(,|$)") {
    set req.http.X-Form = "br";
  } elsif (req.http.Accept-Encoding ~ "(?i)(^|,)\s*gzip\s*(;\s*q=(1(\.0*)?|0?\.\d*[1-9]\d*)\s*)?(,|$)") {
    set req.http.X-Form = "gzip";
  } else {
    set req.http.X-Form = "identity";
  }
  set req.http.Accept-Encoding = req.http.X-Form;

  # Cookies go along, because a locked page is opened by one. What a cookie has opened says `private, no-store`.
  return (hash);
}

# PURGE with the tag in Surrogate-Key. A ban by what objects hold, and nothing of requests, so that the lurker can free
# the memory of what nobody asks for again; a repeated one replaces the one before in the list.
sub purge_tag {
  if (std.getenv("EDGE_PURGE_TOKEN")) {
    if (req.http.Authorization != "Bearer " + std.getenv("EDGE_PURGE_TOKEN")) {
      return (synth(403, "Forbidden"));
    }
  } elsif (client.ip !~ purgers || req.http.X-Forwarded-For ~ ",") {
    # The second: it came by way of another proxy, whose address is not the sender's.
    return (synth(403, "Forbidden"));
  }
  if (req.http.Surrogate-Key !~ "^[A-Za-z0-9_-]{1,100}$") {
    return (synth(400, "Bad tag"));
  }
  if (!std.ban("obj.http.Surrogate-Key == " + req.http.Surrogate-Key)) {
    std.log("ban: " + std.ban_error());
    return (synth(503, "Not purged"));
  }
  return (synth(200, "Purged"));
}

# The host is part of it: with CONTENT_ORIGIN a page is another one at its own host. So is the form, rather than leaving
# it to Vary: Varnish's own support of gzip knows no brotli, and would ask the origin for gzip alone.
sub vcl_hash {
  hash_data(req.url);
  hash_data(std.tolower(req.http.Host));
  hash_data(req.http.X-Form);
  return (lookup);
}

sub vcl_backend_fetch {
  if (bereq.http.X-Form) {
    set bereq.http.Accept-Encoding = bereq.http.X-Form;
    unset bereq.http.X-Form;
  }
}

sub vcl_backend_response {
  if (bereq.uncacheable) {
    return (deliver);
  }

  # Only what the origin has tagged and gives to shared caches can be kept, since only that can be purged. All else
  # (locked pages, 404, a page that is still being made) is each client's own; for some seconds nobody waits for others.
  if (beresp.status != 200 || !beresp.http.Surrogate-Key || beresp.http.Cache-Control !~ "s-maxage=" || beresp.ttl <= 0s) {
    set beresp.uncacheable = true;
    set beresp.ttl = 10s;
    return (deliver);
  }

  # A purge that comes while a page is on its way misses it. The purge is repeated a second later, which meets all that
  # was on its way for less than that; what took longer is kept for the rest of two seconds, or for nobody.
  if (beresp.time - bereq.time > 0.8s) {
    set beresp.grace = 0s;
    set beresp.keep = 0s;
    if (beresp.time - bereq.time > 1.7s) {
      set beresp.uncacheable = true;
      set beresp.ttl = 1s;
    } else {
      set beresp.ttl = 1.8s - (beresp.time - bereq.time);
    }
    return (deliver);
  }

  # stale-while-revalidate: for a minute after its time a page is still shown while it is fetched anew, and so is it while
  # the origin is away. A purged page is gone, and never shown. Not where nobody purges (s-maxage is 5 s then): there the
  # time is all that a locked page is hidden by.
  set beresp.keep = 0s;
  if (beresp.ttl > 60s) {
    set beresp.grace = 60s;
  } else {
    set beresp.grace = 0s;
  }
  return (deliver);
}

sub vcl_deliver {
  if (obj.hits > 0) {
    set resp.http.X-Cache = "hit";
  } else {
    set resp.http.X-Cache = "miss";
  }
  # Caches on the way to the client are not purged: to them the page is the browser's alone to keep, and to ask about.
  if (resp.http.Surrogate-Key) {
    set resp.http.Cache-Control = regsuball(resp.http.Cache-Control, ",\s*(s-maxage|stale-while-revalidate)=\d+", "");
  }
  unset resp.http.Surrogate-Key;
  unset resp.http.Cache-Tag;
  unset resp.http.X-Varnish;
  unset resp.http.Via;
}

# Dropleaf's own form of errors.
sub vcl_synth {
  set resp.http.Content-Type = "application/json; charset=utf-8";
  set resp.http.Cache-Control = "private, no-store";
  if (resp.status == 200) {
    set resp.body = """{"purged":true}""";
  } elsif (resp.status == 403) {
    set resp.body = """{"error":{"code":"forbidden","message":"Not from here."}}""";
  } elsif (resp.status == 503) {
    set resp.http.Retry-After = "1";
    set resp.body = """{"error":{"code":"unavailable","message":"Try again.","details":{"retry_after_seconds":1}}}""";
  } else {
    set resp.body = """{"error":{"code":"invalid_arg","message":"This request cannot be served."}}""";
  }
  return (deliver);
}

sub vcl_backend_error {
  set beresp.http.Content-Type = "application/json; charset=utf-8";
  set beresp.http.Content-Security-Policy = "sandbox";
  set beresp.http.X-Content-Type-Options = "nosniff";
  set beresp.http.Cache-Control = "private, no-store";
  set beresp.http.Retry-After = "5";
  set beresp.body = """{"error":{"code":"unavailable","message":"The service is away for a moment.","details":{"retry_after_seconds":5}}}""";
  return (deliver);
}
