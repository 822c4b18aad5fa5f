// A Tributary processor that returns the text it gets. Declare it with inputSchema "string" and outputSchema "string".
// Settings: PORT (default 9000), HOST (default 127.0.0.1) and TRIBUTARY_PROCESSOR_SECRET, the secret that the declaration returned.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

const toleranceSeconds = 300

// process is yours to change: input in, output out.
func process(text string, properties map[string]any) string {
	return text
}

// properties reads the header with the properties of the stage. The text is canonical JSON.
func properties(header http.Header) (found map[string]any, text []byte, err error) {
	text, err = base64.RawURLEncoding.DecodeString(header.Get("Tributary-Properties"))
	if err == nil && len(text) == 0 {
		text = []byte("{}")
	}
	if err == nil {
		err = json.Unmarshal(text, &found)
	}
	return found, text, err
}

// isSigned checks the Standard Webhooks signature. It covers the head of the run as canonical JSON, because the body is a stream.
func isSigned(header http.Header, secret string) bool {
	if secret == "" {
		return true
	}
	attempt, _ := strconv.Atoi(header.Get("Tributary-Attempt"))
	// The properties are already canonical. Encoding them again could change a number or a character.
	_, given, err := properties(header)
	content := fmt.Sprintf(`{"attempt":%d,"processor":%q,"properties":%s,"runId":%q,"streamId":%q}`,
		attempt, header.Get("Tributary-Processor"), given, header.Get("Tributary-Run-Id"), header.Get("Tributary-Stream-Id"))
	id, stamp := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp")
	seconds, stampError := strconv.ParseInt(stamp, 10, 64)
	if err != nil || stampError != nil || id != header.Get("Tributary-Run-Id") {
		return false
	}
	if age := time.Now().Unix() - seconds; age > toleranceSeconds || age < -toleranceSeconds {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + stamp + "." + content))
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, one := range strings.Fields(header.Get("Webhook-Signature")) {
		if hmac.Equal([]byte(one), []byte(expected)) {
			return true
		}
	}
	return false
}

func handle(secret string) http.HandlerFunc {
	return func(answer http.ResponseWriter, request *http.Request) {
		if request.Method != http.MethodPost {
			http.Error(answer, "this processor takes POST", http.StatusMethodNotAllowed)
			return
		}
		text, err := io.ReadAll(request.Body)
		if err != nil {
			http.Error(answer, "the body broke off", http.StatusBadRequest)
			return
		}
		if !isSigned(request.Header, secret) {
			http.Error(answer, "wrong signature", http.StatusUnauthorized)
			return
		}
		given, _, _ := properties(request.Header)
		answer.Header().Set("Content-Type", "application/x-ndjson")
		lines := json.NewEncoder(answer)
		_ = lines.Encode(map[string]any{"output": process(string(text), given)})
		_ = lines.Encode(map[string]any{"end": true})
	}
}

func setting(name, fallback string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return fallback
}

func main() {
	address := setting("HOST", "127.0.0.1") + ":" + setting("PORT", "9000")
	listener, err := net.Listen("tcp", address)
	if err == nil {
		fmt.Println("processor ready http://" + address)
		err = http.Serve(listener, handle(os.Getenv("TRIBUTARY_PROCESSOR_SECRET")))
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
